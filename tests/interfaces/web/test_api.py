"""The HTTP interface, asked by a real client: what it answers, and what it refuses."""

from __future__ import annotations

import json
import socket
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from starlette.testclient import TestClient

import graphdream
from graphdream.dream import lease
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.interfaces.http.api import ENDPOINTS
from graphdream.interfaces.http.app import make_app
from graphdream.interfaces.http.guard import BODY_LIMIT, Guard
from graphdream.interfaces.http.jobs import Jobs
from graphdream.interfaces.http.service import Service
from support.attacks import shell
from support.serving import Server

ASKED = {
    "/api/cycle/kinds": "", "/api/dream/status": "", "/api/passes": "?limit=2", "/api/passes/{pass_id}": "",
    "/api/passes/{pass_id}/mutations": "?status=applied", "/api/passes/{pass_id}/diff": "",
    "/api/passes/{pass_id}/merges": "", "/api/diff": "?before=0&after=4", "/api/costs": "", "/api/recall": "?q=Tessa",
    "/api/entities": "?q=marlow", "/api/entities/{entity}": "?history=true", "/api/plans": "",
    "/api/plans/{pass_id}": "",
}  # fmt: skip


def asked(server: Server, path: str) -> httpx.Response:
    with server.client() as client:
        return client.get(path)


def wait_for(client: httpx.Client, seconds: float = 90) -> dict[str, Any]:
    """The newest job when it has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        job = client.get("/api/dream/status").json()["job"]
        if job is not None and job["state"] != "running":
            return dict(job)
        time.sleep(0.1)
    raise AssertionError("the job did not end")


# ---------------------------------------------------------------------- the document


def test_every_route_is_in_the_document_and_every_answer_is_as_it_says(reading: Server) -> None:
    document = asked(reading, "/api/openapi.json").json()
    told = {(method.upper(), path) for path, operations in document["paths"].items() for method in operations}
    assert told == {(one.method, one.path.replace(":int", "").replace(":path", "")) for one in ENDPOINTS}
    gets = sorted(path for method, path in told if method == "GET")
    assert gets == sorted(ASKED), "a new GET route is asked here too"
    for path in gets:
        where = (
            path.replace("/plans/{pass_id}", "/plans/3").replace("{pass_id}", "4").replace("{entity}", "Tessa Marlow")
        )
        answer = asked(reading, where + ASKED[path])
        assert answer.status_code == 200, (path, answer.text)
        schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(answer.json(), schema | {"components": document["components"]})


def test_what_is_asked_is_answered(reading: Server) -> None:
    record = asked(reading, "/api/passes/4").json()
    assert record["overview"]["kinds"][0]["name"] == "entities merged" and record["overview"]["kinds"][0]["count"] >= 2
    merges = asked(reading, "/api/passes/4/merges").json()["merges"]
    names = {member["name"] for merge in merges for member in merge["members"]}
    assert {"Tessa Marlow", "Dr. Marlow", "Hollow Pipeline"} <= names
    one = next(merge for merge in merges if merge["name"] == "Tessa Marlow")
    field = next(field for field in one["fields"] if field["name"] == "name")
    assert field["before"] == [member["name"] for member in one["members"]]
    assert any("birthday" in fact for member in one["members"] for fact in member["facts"])
    hits = asked(reading, "/api/recall?q=when+is+the+birthday+of+Tessa&k=3").json()
    assert "Tessa" in hits[0]["text"] and sum(hits[0]["parts"].values()) == pytest.approx(hits[0]["score"])


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/api/passes/99", 404, "there is no pass 99"),
        ("/api/passes/4x", 404, "Not Found"),
        ("/api/passes/99999999999999999999999", 404, ""),
        ("/api/entities/nobody", 404, "no entity called"),
        ("/api/recall", 400, "q: Field required"),
        ("/api/recall?q=x&kk=3", 400, "kk: Extra inputs"),
        ("/api/recall?q=x&k=0", 400, "k: "),
        ("/api/recall?q=x&as_of=tomorrowish", 400, "tomorrowish"),
        ("/api/diff?before=soon&after=4", 400, "neither a pass nor a date"),
        ("/api/plans/4", 400, "no plan"),
        ("/api/plans/77", 404, "no pass 77"),
    ],
)
def test_what_is_wrong_is_told_with_what_to_do(reading: Server, path: str, status: int, said: str) -> None:
    answer = asked(reading, path)
    assert answer.status_code == status and said in answer.json()["error"], answer.text


# ---------------------------------------------------------------------- dreaming


def test_a_dream_is_accepted_at_once_and_its_progress_is_told(serving: Callable[..., Server]) -> None:
    server = serving()
    with server.client() as client, client.stream("GET", "/api/dream/events") as events:
        answer = client.post("/api/dream/trigger", json={"mode": "compact"})
        assert answer.status_code == 202 and answer.json()["job"]["state"] == "running"
        assert answer.elapsed.total_seconds() < 5
        told = []
        for line in events.iter_lines():
            if line.startswith("data: {") and "state" in line:
                told.append(json.loads(line[6:]))
                if told[-1]["state"] != "running":
                    break
    assert told[-1]["state"] == "done" and told[-1]["report"]["status"] in ("nothing", "applied")
    assert len({one["step"] for one in told}) >= 3 and any(0 < one["done"] < one["total"] for one in told)


def test_the_record_of_a_pass_tells_what_its_job_tells_of_who_asked(serving: Callable[..., Server]) -> None:
    """It told of a person at the command line, which the server had called."""
    server = serving()
    with Store.open(server.path, create=False) as store:
        record(store, "told now", summary="Mirela Ionescu moved to Timisoara. Mirela Ionescu plays the oboe.")
    with server.client() as client:
        assert client.post("/api/dream/trigger", json={"mode": "incremental"}).status_code == 202
        job = wait_for(client)
    with Store.open(server.path, create=False) as store:
        (made_by,) = store.connection.execute(
            "SELECT trigger FROM pass WHERE id = ?", (job["report"]["pass"],)
        ).fetchone()
    assert job["trigger"] == made_by == "http"


def test_a_refusal_of_the_call_itself_bears_the_code_of_a_wrong_call(serving: Callable[..., Server]) -> None:
    with serving().client() as client:
        for method, path, status, code in (("GET", "/api/dream/trigger", 405, 2), ("GET", "/api/no-such", 404, 6)):
            answer = client.request(method, path)
            assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_of_two_dreams_the_second_is_a_conflict(serving: Callable[..., Server]) -> None:
    server = serving()
    with server.client() as client:
        with Store.open(server.path, create=False) as store, lease.hold(store):
            answer = client.post("/api/dream/trigger")
            assert answer.status_code == 409 and answer.json()["code"] == 5
            assert client.post("/api/cycle/run").status_code == 409
        assert client.post("/api/dream/trigger", json={"review": True}).status_code == 202
        assert client.post("/api/dream/trigger").status_code == 409
        assert wait_for(client)["state"] == "done"


def test_dreaming_that_is_switched_off_is_unavailable_and_the_rest_is_not(serving: Callable[..., Server]) -> None:
    server = serving("--no-schedule", environ={"GRAPHDREAM_DREAMING__ENABLED": "false"})
    with server.client() as client:
        answer = client.post("/api/dream/trigger")
        assert answer.status_code == 503 and "memory.dreaming.enabled" in answer.json()["error"]
        assert client.get("/api/recall?q=birthday").status_code == 200


def test_one_kind_of_pass_runs_and_an_unknown_one_does_not(serving: Callable[..., Server]) -> None:
    with serving().client() as client:
        assert client.post("/api/cycle/kinds/no-such/run").status_code == 404
        assert client.post("/api/cycle/run", json={"kinds": []}).status_code == 400
        assert client.post("/api/cycle/kinds/fold/run").status_code == 202
        job = wait_for(client)
        assert job["state"] == "done" and {one["name"] for one in job["report"]["passes"]} == {"fold"}


def test_a_job_that_fails_says_why(serving: Callable[..., Server]) -> None:
    server = serving("--no-schedule", environ={"GRAPHDREAM_DREAMING__MODEL": "nowhere/at-all"})
    with server.client() as client:
        assert client.post("/api/dream/trigger").status_code == 202
        job = wait_for(client)
        assert job["state"] == "failed" and "nowhere" in job["error"] and job["exit_code"] == 2, job


def test_the_schedule_runs_beside_the_pages(serving: Callable[..., Server]) -> None:
    environ = {"GRAPHDREAM_CYCLE__INITIAL_DELAY": "0", "GRAPHDREAM_CYCLE__BUSY_SECONDS": "0"}
    server = serving("--agent", "default", environ=environ)
    with server.client() as client:
        until = time.monotonic() + 90
        while time.monotonic() < until:
            job = client.get("/api/dream/status").json()["job"]
            if job is not None and job["what"] == "cycle" and job["state"] == "done":
                break
            time.sleep(0.2)
        assert job["trigger"] == "schedule", job
    with sqlite3.connect(server.path) as connection:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            if connection.execute("SELECT last_cycle_at FROM schedule").fetchone()[0]:
                return
            time.sleep(0.1)
    raise AssertionError("the cycle is not on the schedule's record")


# ---------------------------------------------------------------------- taking back, deciding


def test_a_pass_is_undone_and_the_undo_is_undone(serving: Callable[..., Server]) -> None:
    with serving().client() as client:
        hashes = [client.get(f"/api/passes/{one}").json()["record"]["hash_after"] for one in (2, 4)]
        undone = client.post("/api/passes/4/undo", json={})
        assert undone.status_code == 200 and undone.json()["hash_after"] == hashes[0], undone.text
        again = client.post(f"/api/passes/{undone.json()['pass_id']}/undo")
        assert again.json()["hash_after"] == hashes[1]
        assert client.post("/api/passes/99/undo").status_code == 404


def test_one_merge_is_taken_back(serving: Callable[..., Server]) -> None:
    with serving().client() as client:
        merge = client.get("/api/passes/4/merges").json()["merges"][0]
        gone = next(member for member in merge["members"] if not member["survives"])
        answer = client.post(f"/api/entities/{gone['handle']}/unmerge", json={"wrong": True})
        assert answer.status_code == 200 and answer.json()["name"] == gone["name"]
        now = client.get("/api/passes/4/merges").json()["merges"]
        assert any(m["handle"] == gone["handle"] and m["apart_again"] for one in now for m in one["members"])
        assert client.post(f"/api/entities/{gone['handle']}/unmerge").status_code == 409


def test_a_plan_is_decided_cluster_by_cluster(serving: Callable[..., Server]) -> None:
    with serving().client() as client:
        client.post("/api/passes/4/undo").raise_for_status()
        client.post("/api/dream/trigger", json={"mode": "compact", "review": True, "again": True}).raise_for_status()
        assert wait_for(client)["report"]["status"] == "planned"
        plan = client.get("/api/plans").json()[-1]["id"]
        clusters = client.get(f"/api/plans/{plan}").json()["clusters"]
        mine = next(one for one in clusters if one["title"] == "Tessa Marlow" and one["op"] == "merge_entities")
        rest = [one["id"] for one in clusters if one["id"] != mine["id"]]
        assert client.post(f"/api/plans/{plan}/approve", json={"clusters": [123456]}).status_code == 404
        for what in ("approve", "reject"):
            assert client.post(f"/api/plans/{plan}/{what}", json={"items": []}).status_code == 400
        done = client.post(f"/api/plans/{plan}/approve", json={"clusters": [mine["id"]]}).json()
        assert {one["status"] for one in done["outcomes"].values()} == {"applied"}
        assert client.post(f"/api/plans/{plan}/reject", json={"clusters": rest}).status_code == 200
        left = client.get("/api/plans").json()[-1]
        assert left["open"] == 0 and left["approved"] == len(mine["positions"])
        kinds = client.get(f"/api/passes/{done['pass_id']}").json()["overview"]["kinds"]
        assert "entities merged" in {kind["name"] for kind in kinds}


# ---------------------------------------------------------------------- who may ask


def test_another_name_for_this_machine_is_refused(reading: Server) -> None:
    with reading.client() as client:
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::", "localhost@evil.example"):
            assert client.get("/api/passes", headers={"host": host}).status_code in (400, 421), host
        assert client.get("/api/passes", headers={"host": "localhost:1"}).status_code == 200


def test_another_site_changes_nothing(reading: Server) -> None:
    with reading.client() as client:
        for headers in (
            {"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"}, {"origin": "http://127.0.0.1:1"},
        ):  # fmt: skip
            assert client.post("/api/passes/4/undo", headers=headers).status_code == 403, headers
            assert client.post("/passes/4/undo", headers=headers).status_code == 403, headers
        assert client.get("/api/passes/4").json()["record"]["undone_by"] is None


@pytest.mark.parametrize("length", ["²", "9" * 5_000], ids=["no number", "long"])  # Unicode calls the first a digit
def test_a_length_that_nobody_can_count_with_is_too_large(length: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it is handed on")

    headers = {"host": "localhost", "content-length": length.encode("latin-1")}
    client = TestClient(Guard(app))
    assert client.post("/api/dream/trigger", content=b"{}", headers=headers).status_code == 413


def test_what_is_too_large_is_refused_declared_or_not(reading: Server) -> None:
    with reading.client() as client:
        large = b"[" + b" " * BODY_LIMIT + b"]"
        assert client.post("/api/dream/trigger", content=large).status_code == 413
        assert client.post("/api/dream/trigger", content=iter([large[:600_000], large[600_000:]])).status_code == 413
        for body, kind in (
            (b"{", "application/json"), (b"[1]", "application/json"), (b"{}", "text/plain"), (b"\xff", "application/json"),
            (b"[" * 100_000, "application/json"), (b'{"mode": "deep"}', "application/json"), (b'{"mod": 1}', "application/json"),
        ):  # fmt: skip
            answer = client.post("/api/dream/trigger", content=body, headers={"content-type": kind})
            assert answer.status_code == 400 and answer.json()["error"], body[:20]


def _raw(server: Server, target: str) -> bytes:
    host, _, port = server.url.removeprefix("http://").strip("/").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        wire.sendall(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1"))
        found = b""
        while part := wire.recv(65536):
            found += part
    return found


@pytest.mark.parametrize(
    "target",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/pyproject.toml",
        "/static/..%5c..%5capp.py", "/static//etc/passwd", "/static/%00", "/api/entities/%00", "/api/entities/..%2f..%2fx",
        "/entities/%2e%2e", "/api/passes/-1", "/%2e%2e/%2e%2e/etc/passwd", "/static/vendor", "/api/entities/%ff%fe",
    ],
)  # fmt: skip
def test_no_path_leads_out(reading: Server, target: str) -> None:
    head, _, body = _raw(reading, target).partition(b"\r\n\r\n")
    assert head.split()[1] in (b"400", b"404", b"405"), head
    assert b"root:" not in body and b"import " not in body


def test_a_hundred_at_once_are_all_answered(reading: Server) -> None:
    paths = ["/api/passes", "/api/dream/status", "/api/recall?q=birthday", "/", "/passes/4"] * 20
    with reading.client(limits=httpx.Limits(max_connections=100)) as client, ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(client.get, paths))
    assert [answer.status_code for answer in answers] == [200] * 100


def test_every_answer_forbids_what_it_does_not_need(reading: Server) -> None:
    for path in ("/", "/api/passes", "/api/none", "/static/dashboard.css"):
        headers = asked(reading, path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_a_token_is_asked_for_and_lies_beside_the_database(serving: Callable[..., Server]) -> None:
    server = serving("--no-schedule", "--host", "0.0.0.0")
    file = server.path.with_name(server.path.name + ".http-token")
    assert file.stat().st_mode & 0o777 == 0o600
    token = file.read_text().strip()
    with server.client() as client:
        for path in ("/api/passes", "/api/openapi.json", "/api/dream/events"):
            answer = client.get(path)
            assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        assert client.post("/api/dream/trigger").status_code == 401
        for wrong in ("Bearer x", "Bearer", f"Basic {token}", f"Bearer {token}x"):
            assert client.get("/api/passes", headers={"authorization": wrong}).status_code == 401
        assert client.get("/api/passes", headers={"authorization": f"Bearer {token}"}).status_code == 200
        page = client.get("/", headers={"accept": "text/html"})
        assert page.status_code == 303 and page.headers["location"] == "/login"
        assert client.post("/login", data={"token": "wrong"}).status_code == 403
        signed = client.post("/login", data={"token": token})
        assert signed.status_code == 303
        cookie = signed.headers["set-cookie"]
        assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and token not in cookie
        assert client.get("/", headers={"accept": "text/html"}).status_code == 200
        client.cookies.clear()
        assert (
            client.get("/", headers={"accept": "text/html", "cookie": "graphdream=é\x01".encode("latin-1")}).status_code
            == 303
        )


def test_it_ends_at_once_and_cleanly_whatever_goes_on(serving: Callable[..., Server]) -> None:
    server = serving()
    with server.client() as client, client.stream("GET", "/api/dream/events") as events:
        next(events.iter_lines())
        client.post("/api/dream/trigger", json={"mode": "compact"}).raise_for_status()
        began = time.monotonic()
        server.process.terminate()
        assert server.process.wait(15) == 0
        assert time.monotonic() - began < 10
    with Store.open(server.path, create=False) as store:
        holder = lease.read_holder(store.connection)
        assert holder is None or not lease.is_alive(holder, holder.heartbeat_at)


# ---------------------------------------------------------------------- what somebody else has written


def test_what_is_not_as_it_was_sealed_is_left_out_and_named(serving: Callable[..., Server], memory: Path) -> None:
    with shell(memory) as c:
        (fact, entity), *_ = c.execute(
            "SELECT attribute.id, entity_id FROM attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON"
            " entity.id = entity_id WHERE attribute.status = 'active' AND entity.status = 'active'"
        ).fetchall()
        c.execute("UPDATE attribute SET content = 'Forged.' WHERE id = ?", (fact,))
        (other,) = c.execute(
            "SELECT id FROM entity WHERE status = 'active' AND id <> ? ORDER BY id", (entity,)
        ).fetchone()
        c.execute("UPDATE entity SET name = 'Forged', canonical = 'forged' WHERE id = ?", (other,))
    server = serving()
    page = asked(server, f"/api/entities/e{entity}")
    assert "Forged" not in page.text and page.headers["graphdream-left-out"] == f"a{fact}"
    listed = asked(server, "/api/entities?q=forged")
    assert listed.json()["entities"] == [] and listed.headers["graphdream-left-out"] == f"e{other}"
    whole = asked(server, "/api/passes/1?examples=200")
    assert "Forged" not in whole.text and f"e{other}" in whole.headers["graphdream-left-out"]
    refused = asked(server, f"/api/entities/e{other}")
    assert refused.status_code == 409 and "not as it was sealed" in refused.json()["error"]
    with server.client(headers={"accept": "text/html"}) as client:
        drawn = client.get(f"/entities/e{entity}").text
        assert "Forged" not in drawn and f"not being as it was sealed: a{fact}" in drawn
        for _ in range(2):  # the second time, what a pass did is not read again
            drawn = client.get("/passes/1/changes/0").text
            assert "Forged" not in drawn and f"e{other}" in drawn.partition("graphdream verify")[0]
    assert "graphdream-left-out" not in asked(server, "/api/passes").headers


FORGED_PATHS = (
    "/", "/passes", "/passes/4", "/passes/4/changes/0", "/passes/4/changes/2", "/passes/4/not-applied", "/entities",
    "/entities/e1?history=1", "/recall?q=Tessa+in+May+2024&past=1", "/review", "/review/3", "/cycle", "/costs",
    "/api/passes", "/api/passes/1", "/api/passes/4?examples=200", "/api/passes/4/mutations", "/api/passes/4/diff",
    "/api/passes/4/merges", "/api/diff?before=0&after=4", "/api/costs", "/api/recall?q=Tessa+in+May+2024", "/api/entities",
    "/api/entities/e1?history=true", "/api/plans", "/api/plans/3", "/api/dream/status", "/api/cycle/kinds",
)  # fmt: skip
FORGERIES = {
    "an aspect taken away": "DELETE FROM aspect",
    "an entity taken away": "DELETE FROM entity WHERE status = 'active'",
    "a pair taken away": "DELETE FROM contradiction",
    "a link taken away": "DELETE FROM link",
    "entities without a name": "UPDATE entity SET name = '', canonical = ''",
    "a date that is none": "UPDATE attribute SET first_seen = 'Forged', last_seen = 'Forged'",
    "tags that are no list": "UPDATE attribute SET tags = '{'",
    "what a pass counted": "UPDATE pass SET counts = '{', options = 'null'",
    "what a pass was shown": "UPDATE pass SET inputs = '[]', undoes = '{'",
    "when a pass was made": "UPDATE pass SET started_at = 'x', finished_at = 'y'",
    "what was proposed": "UPDATE mutation SET body = '{'",
    "what was planned": "UPDATE planned SET body = '[]'",
    "the journal": "UPDATE change SET diff = '{'",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_no_forgery_breaks_a_route(memory: Path, forgery: str) -> None:
    """What is not as it was sealed is left out and named, or the answer says clearly that it is not told."""
    with shell(memory) as c:
        c.execute("PRAGMA ignore_check_constraints = ON")
        c.execute(FORGERIES[forgery])
    with graphdream.open(memory) as graph:
        app = make_app(Service(graph, Jobs(["--db", str(memory)])))
        with TestClient(app, "http://127.0.0.1", raise_server_exceptions=False) as client:
            for path in FORGED_PATHS:
                answer = client.get(path, headers={} if path.startswith("/api") else {"accept": "text/html"})
                assert answer.status_code < 500, (path, answer.text[:300])
