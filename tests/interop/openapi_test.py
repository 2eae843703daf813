"""The description of plain HTTP is OpenAPI as a public validator knows it, and answers are as it says.

    python tests/interop/openapi_test.py --binary target/release/codelens

Takes `openapi-spec-validator` and what it brings (`jsonschema`).
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "harness"))

from checks import Checks  # noqa: E402
from fixture_repo import FixtureRepo  # noqa: E402
from http_server import HttpServer  # noqa: E402

API = "/api/v1/"
# Inputs that have an answer in the fixture, by tool.
INPUTS: dict[str, dict] = {
    "explore": {"query": "price of an order"},
    "search": {"query": "price of an order", "limit": 3},
    "expand": {"path": "packages/checkout/src/cart.ts", "startLine": 1, "endLine": 3},
    "map": {},
    "impact": {"symbol": "Cart", "risk": True, "sites": True},
    "save": {"kind": "note", "items": [{"path": "packages/checkout/src/cart.ts"}], "notes": "prices are in cents"},
    "prune": {"dryRun": True},
    "related": {"path": "packages/checkout/src/cart.ts"},
    "load": {"query": "price"},
    "current": {},
    "refresh": {},
    "stats": {"usage": True},
    "doctor": {},
    "changes": {"base": "HEAD"},
    "chunks": {"path": "packages/checkout/src/cart.ts"},
}


def get(server: HttpServer, path: str) -> tuple[int, dict]:
    connection = server.connect()
    try:
        connection.request("GET", path, headers=server.headers())
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def schema_of(description: dict, path: str, method: str, status: str) -> dict:
    """Returns the schema of an answer with the components that it refers to."""
    responses = description["paths"][path][method]["responses"]
    schema = copy.deepcopy(responses.get(status, responses["default"])["content"]["application/json"]["schema"])
    schema["components"] = description["components"]
    return schema


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    args = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        repo = FixtureRepo.load("shop", root / "r")
        env = {"PATH": os.environ["PATH"], "HOME": scratch, "CODELENS_HOME": str(root / "data")}
        with HttpServer(args.binary.resolve(), "serve", "--http", "0", "--json", cwd=repo.path, env=env, log=root / "log") as server:
            status, description = get(server, f"{API}openapi.json")
            checks.equal("the description is there", status, 200)
            errors = [f"{list(error.path)}: {error.message}" for error in OpenAPIV31SpecValidator(description).iter_errors()]
            checks.equal("the validator finds no fault", errors, [])
            try:
                validate(description)
                checks.that("and takes it as its version", description["openapi"].startswith("3.1"), description["openapi"])
            except Exception as error:  # noqa: BLE001
                checks.that("and takes it as its version", False, str(error))
            broken = copy.deepcopy(description)
            del broken["info"]["title"]
            checks.that("it would find one", list(OpenAPIV31SpecValidator(broken).iter_errors()))
            ids = [way["operationId"] for path in description["paths"].values() for way in path.values()]
            checks.equal("each operation has a name of its own", len(ids), len(set(ids)))

            _, tools = get(server, f"{API}tools")
            served = {tool["name"].removeprefix("cl_") for tool in tools["tools"]}
            described = {path.rsplit("/", 1)[1] for path, ways in description["paths"].items() if "post" in ways}
            checks.equal("each tool is described", sorted(served - described), [])
            name = get(server, f"{API}repos")[1]["repos"][0]["repo"]
            for path, ways in description["paths"].items():
                for method in ways:
                    if method == "get":
                        status, value = get(server, path)
                    else:
                        tool = path.rsplit("/", 1)[1]
                        status, _, body = server.post(INPUTS.get(tool, {}), path=path.replace("{repo}", name))
                        value = json.loads(body)
                        if tool in INPUTS:
                            checks.equal(f"{tool} answers", status, 200)
                    found = Draft202012Validator(schema_of(description, path, method, str(status))).iter_errors(value)
                    wrong = [f"{list(error.path)}: {error.message[:300]}" for error in found]
                    checks.equal(f"{method} {path} answers as it is described ({status})", wrong, [])
                    if method == "post":
                        status, _, body = server.post({"no such field": 1}, path=path.replace("{repo}", name))
                        found = Draft202012Validator(schema_of(description, path, method, str(status))).iter_errors(json.loads(body))
                        checks.equal(f"{path} refuses as it is described", (status, [error.message for error in found]), (400, []))
    checks.end()


if __name__ == "__main__":
    main()
