"""The dashboard as a browser gets it, without one: what each page holds, what its forms do, what it never runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import httpx
import pytest

import graphdream
from support.serving import PAGES, Server

HTML = {"accept": "text/html"}


class _Read(HTMLParser):
    """Tags with their attributes, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_drawn_and_runs_nothing_of_what_it_shows(
    reading: Server, places: dict[str, str], path: str
) -> None:
    with reading.client(headers=HTML) as client:
        answer = client.get(path.format(**places))
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html"), answer.text[:300]
    read = _Read(answer.text)
    assert sum(tag == "h1" for tag, _ in read.tags) == 1
    for tag, attributes in read.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)
        if tag == "script":
            assert attributes["src"] == "/static/dashboard.js"
        if tag == "img":
            raise AssertionError("text of the memory became a tag")
        for name in ("href", "src", "action"):
            assert (attributes.get(name) or "/").startswith(("/", "#", "?")), (tag, attributes)


def test_every_link_of_every_page_leads_somewhere(reading: Server, places: dict[str, str]) -> None:
    links: set[str] = set()
    with reading.client(headers=HTML) as client:
        for path in PAGES:
            url = httpx.URL(reading.url).join(path.format(**places))
            for tag, attributes in _Read(client.get(url).text).tags:
                href = attributes.get("href")
                if tag in ("a", "link") and href and not href.startswith("#"):
                    links.add(str(url.join(href)).partition("#")[0])
        wrong = [link for link in sorted(links)[:250] if client.get(link).status_code != 200]
    assert not wrong and len(links) > 60


def test_the_page_of_a_pass_tells_counts_then_groups_then_details(reading: Server) -> None:
    with reading.client(headers=HTML) as client:
        page = client.get("/passes/4").text
        overview = client.get("/api/passes/4").json()["overview"]
    text = re.sub(r"\s+", " ", _Read(page).text)
    for kind in overview["kinds"]:
        assert f"{kind['count']:,} {kind['name']}" in text
    assert page.index('class="flow"') < page.index('class="groups"') < page.index('class="changes"')
    merged = next(kind["count"] for kind in overview["kinds"] if kind["name"] == "entities merged")
    assert f"{merged:,} merged into others" in text


def test_what_there_was_and_what_there_is_add_up(reading: Server) -> None:
    with reading.client(headers=HTML) as client:
        sizes = re.findall(r'from-to"><span>([\d,]+)</span> → <span>([\d,]+)<', client.get("/passes/4").text)
        status = _Read(client.get("/").text).text
    now = [
        int(one.replace(",", "")) for one in re.findall(r"([\d,]+)\s*$", "\n".join(after for _, after in sizes), re.M)
    ]
    assert len(sizes) == 3
    for count in now:
        assert f"{count:,}" in status  # nothing came after that pass


def test_a_fault_is_a_page_that_says_what_to_do(reading: Server) -> None:
    with reading.client(headers=HTML) as client:
        for path, status, said in (
            ("/passes/99", 404, "there is no pass 99"), ("/nowhere", 404, "Not Found"), ("/passes?page=x", 400, "no page"),
            ("/passes?page=0", 400, "no page"), ("/entities/nobody", 404, "no entity called"), ("/review/4", 400, "no plan"),
            ("/passes/4/changes/77", 404, "77"), ("/passes/4/merges/x", 404, "merged nothing"),
        ):  # fmt: skip
            answer = client.get(path)
            assert answer.status_code == status and said in _Read(answer.text).text, (path, answer.text[:200])
            assert "<h1>" in answer.text


def test_a_merge_is_told_field_by_field_and_taken_back_from_its_page(
    serving: Callable[..., Server], places: dict[str, str]
) -> None:
    with serving().client(headers=HTML, follow_redirects=True) as client:
        page = client.get(f"/passes/4/merges/{places['merge']}")
        assert all(word in page.text for word in ("first seen", "also called", "mentions", "It brought along"))
        done = client.post(f"/entities/{places['gone']}/unmerge", data={"wrong": "1"})
        assert done.status_code == 200 and "It is apart again" in done.text
        assert "apart again" in client.get(f"/passes/4/merges/{places['merge']}").text


def test_a_pass_is_undone_from_its_page_and_what_stands_in_the_way_is_offered(
    serving: Callable[..., Server], places: dict[str, str]
) -> None:
    with serving().client(headers=HTML, follow_redirects=True) as client:
        client.post(f"/entities/{places['gone']}/unmerge")
        refused = client.post("/passes/4/undo")
        assert refused.status_code == 409 and 'name="cascade"' in refused.text and "/passes/5" in refused.text
        done = client.post("/passes/4/undo", data={"cascade": "1"})
        assert done.status_code == 200 and "Taken back" in done.text and done.url.path == "/passes/6"
        assert "undone by" in client.get("/passes/4").text


def test_a_plan_is_decided_by_ticks(serving: Callable[..., Server]) -> None:
    with serving().client(headers=HTML, follow_redirects=True) as client:
        client.post("/passes/4/undo")
        page = client.get("/review/3").text
        # Approved once and taken back: nothing of it is open any more.
        assert "0 of " in _Read(page).text and 'type="checkbox"' not in page
        assert client.post("/review/3/decide", data={"what": "approve"}).status_code == 400
        assert client.post("/review/3/decide", data={"what": "approve", "items": "x"}).status_code == 400
        assert client.post("/review/3/decide", data={"what": "sing", "items": "1"}).status_code == 400


def test_the_dream_button_starts_a_dream(serving: Callable[..., Server]) -> None:
    with serving().client(headers=HTML, follow_redirects=True) as client:
        page = client.post("/dream", data={"mode": "incremental"})
        assert page.status_code == 200 and 'data-state="running"' in page.text
        assert client.post("/dream", data={"mode": "deep"}).status_code == 400


def test_the_pages_of_a_pass_and_of_a_plan_stay_what_they_were(
    serving: Callable[..., Server], places: dict[str, str]
) -> None:
    """Merges of an old pass, and what a plan would do, had been told with the names and facts of today."""
    paths = [
        "/passes/4", "/passes/4/changes/0", f"/passes/4/merges/{places['merge']}", "/api/passes/4/merges",
        "/api/passes/4?examples=200", "/api/passes/4/diff", "/review/3", "/api/plans/3",
    ]  # fmt: skip
    server = serving()

    def told() -> dict[str, str]:
        with server.client() as client:
            answers = {path: client.get(path, headers={} if path[:4] == "/api" else HTML) for path in paths}
        assert {answer.status_code for answer in answers.values()} == {200}
        return {path: answer.text for path, answer in answers.items()}

    before = told()
    merges = json.loads(before["/api/passes/4/merges"])["merges"]
    with graphdream.open(server.path) as graph:
        for merge in merges:
            graph.edit({"op": "rename_entity", "entity": merge["survivor"], "name": f"Today {merge['survivor']}"})
        for merge in merges:
            facts = graph.entity(merge["survivor"]).facts
            if len(facts) > 1:
                first, second, *_ = facts
                graph.edit({"op": "merge_aspects", "entity": merge["survivor"], "source": [first], "target": second})
        first, second, *_ = (merge["survivor"] for merge in merges)
        graph.edit({"op": "merge_entities", "source": [first], "target": second})
    after = told()
    assert [path for path in paths if before[path] != after[path]] == []
