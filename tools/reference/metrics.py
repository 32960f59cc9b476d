"""Metrics, from the collectors that the modules define."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.metrics import MetricWrapperBase

from surveyor.metrics import REGISTRY
from tools.reference.markdown import code, page, sentence, table
from tools.reference.sources import Undescribed, modules

_INTRODUCTION = """\
`/metrics` of `surveyor serve` answers all of them. Those of the register are read from the database, so they
are of all processes together. The others are of the process that answers: workers have no address of their
own, and what they count is for a program that runs one within itself."""


def body() -> str:
    rows = sorted(set(_rows()))
    return page(
        "Metrics", _INTRODUCTION + "\n\n" + table(("metric", "type", "labels", "of", "meaning"), rows)
    )


def _rows() -> Iterator[tuple[str, str, str, str, str]]:
    for module in modules():
        for collector in vars(module).values():
            if isinstance(collector, MetricWrapperBase):
                (metric,) = collector.describe()
                if not metric.documentation:
                    raise Undescribed(f"the metric {metric.name}", "as its documentation")
                # A counter is scraped under this name.
                name = f"{metric.name}_total" if metric.type == "counter" else metric.name
                labels = ", ".join(map(code, collector._labelnames))
                of = "the process" if _is_of_the_process(collector) else "the register"
                yield code(name), metric.type, labels, of, sentence(metric.documentation)


def _is_of_the_process(collector: MetricWrapperBase) -> bool:
    return collector in REGISTRY._collector_to_names
