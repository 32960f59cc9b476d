"""The description of the API holds: requests made from it, sensible and not, are answered as it says."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from surveyor.people import Scope
from surveyor.web.api import API
from surveyor.web.api.description import describe
from tests.web.api.conftest import token
from tests.web.serving import Served
from tests.web.world import World

CHECKS = [
    not_a_server_error,
    response_schema_conformance,
    content_type_conformance,
    status_code_conformance,
]
DESCRIBED = describe(API[:-1])
OPERATIONS = [(path, method) for path, found in DESCRIBED["paths"].items() for method in found]
# Requests per route: each is a round trip, and there are thirty routes.
EXAMPLES = 12


@pytest.fixture(scope="module")
def engine_name() -> str:
    return "sqlite"


@pytest.fixture(scope="module")
def admin_of_a_world(place: Served) -> tuple[Served, str]:
    return place, place.run(lambda workspace: token(workspace, "ada", Scope.ADMIN))


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=[f"{m} {p}" for p, m in OPERATIONS])
def test_no_request_breaks_it_and_every_answer_is_as_described(
    path: str, method: str, admin_of_a_world: tuple[Served, str]
) -> None:
    served, key = admin_of_a_world
    schema = schemathesis.openapi.from_dict(DESCRIBED)
    operation = schema[path][method.upper()]

    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def try_it(case: Any) -> None:
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {key}"}
        response = case.call(base_url=served.url)
        case.validate_response(response, checks=CHECKS)

    try_it()


def test_answers_with_something_in_them_are_as_described(
    admin_of_a_world: tuple[Served, str], there: World
) -> None:
    served, key = admin_of_a_world
    schema = schemathesis.openapi.from_dict(DESCRIBED)
    headers = {"Authorization": f"Bearer {key}"}
    values = {"domain": there.domain, "candidate_id": str(there.candidate)} | {
        "record_id": str(there.found.record),
        "key": str(there.key),
    }
    queries = {"/api/v1/why": {"subject": there.domain}, "/api/v1/domains-named": {"beginning": "wait"}}
    for path, method in OPERATIONS:
        if method != "get":
            continue
        wanted = {name: value for name, value in values.items() if f"{{{name}}}" in path}
        case = schema[path]["GET"].Case(path_parameters=wanted, query=queries.get(path, {}), headers=headers)
        response = case.call(base_url=served.url)
        assert response.status_code == 200, (path, response.text)
        case.validate_response(response, checks=CHECKS)


def test_what_is_served_is_this_description(admin_of_a_world: tuple[Served, str]) -> None:
    import json

    served, _ = admin_of_a_world
    assert json.loads(served.visitor().get("/api/v1/openapi.json").text) == DESCRIBED
    for path, method in OPERATIONS:
        operation = DESCRIBED["paths"][path][method]
        assert operation["x-scope"] in set(Scope) and operation["security"] == [{"token": []}]
        assert operation["description"] and operation["operationId"]
