"""Metrics, from the collectors that the modules define."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.metrics import MetricWrapperBase

from tools.reference.markdown import code, page, sentence, table
from tools.reference.sources import Undescribed, modules

_INTRODUCTION = "Kept per process, in the registry `surveyor.metrics.REGISTRY`."


def body() -> str:
    rows = sorted(set(_rows()))
    return page("Metrics", _INTRODUCTION + "\n\n" + table(("metric", "type", "labels", "meaning"), rows))


def _rows() -> Iterator[tuple[str, str, str, str]]:
    for module in modules():
        for collector in vars(module).values():
            if isinstance(collector, MetricWrapperBase):
                (metric,) = collector.describe()
                if not metric.documentation:
                    raise Undescribed(f"the metric {metric.name}", "as its documentation")
                # A counter is scraped under this name.
                name = f"{metric.name}_total" if metric.type == "counter" else metric.name
                labels = ", ".join(map(code, collector._labelnames))
                yield code(name), metric.type, labels, sentence(metric.documentation)
