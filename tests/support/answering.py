"""A real HTTP server on loopback that speaks as OpenAI does, and answers questions about a graph as it is told to.

It counts what it was sent with the tokenizer of the project: the words of the messages, four tokens around each, and
the schema and the tools as they came. So a pass's own ledger has what an honest server would bill.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from graphdream.events.tokens import default_tokenizer

_PAIR = re.compile(r"^(\d+): e(\d+) \? e(\d+)$", re.MULTILINE)
_CONTRADICTION = re.compile(r"^(\d+): a\d+ or a\d+$", re.MULTILINE)
_SESSION = re.compile(r'kind="session" key="([^"]+)"[^>]*>\n(.*?)\n</data-', re.DOTALL)
_SENTENCE = re.compile(r"[^.!?]+[.!?]")
_ENTITY = re.compile(r"^e(\d+) ", re.MULTILINE)
_FRAME = 4  # tokens around a message

Same = Callable[[int, int], bool]
"""Whether the entities of two ids are one."""


class Behaviour:
    """What a model does.

    Args:
        acts: of so many questions it answers one, in their order; 0: none of them.
        facts: that it notes of what it reads, at most one a sentence.
        same: whether it holds a pair for one thing.
    """

    def __init__(self, acts: int, facts: int, same: Same) -> None:
        self.acts, self.facts, self.same = acts, facts, same

    def answer(self, asked: str) -> dict[str, Any]:
        """The answer to a prompt."""
        told: dict[str, Any] = {"same": [], "different": [], "first": []}
        for place, pair in enumerate(_PAIR.finditer(asked)):
            if self.acts and place % self.acts == 0:
                number, first, second = map(int, pair.groups())
                told["same" if self.same(first, second) else "different"].append(number)
        told["first"] = [int(one.group(1)) for one in _CONTRADICTION.finditer(asked)] if self.acts == 1 else []
        said = "I decided what the facts show and left the rest as it is." if self.acts else "Nothing to change."
        return {**(told if self.acts else {}), "mutations": self._facts(asked), "summary": said}

    def _facts(self, asked: str) -> list[dict[str, Any]]:
        known = _ENTITY.findall(asked)
        sentences = [(key, said.strip()) for key, text in _SESSION.findall(asked) for said in _SENTENCE.findall(text)]
        return [
            {"op": "create_attribute", "entity": f"e{known[place % len(known)]}", "aspect": "history",
             "content": said, "session": key, "quote": said}
            for place, (key, said) in enumerate(sentences[: self.facts] if known else ())
        ]  # fmt: skip


class _Server(ThreadingHTTPServer):
    behaviour: Behaviour
    counts: float


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        words = "\n".join(message["content"] for message in asked["messages"])
        text = json.dumps(self.server.behaviour.answer(words))
        body = (
            "".join(f"data: {json.dumps(event)}\n\n" for event in _events(asked, text, self.server.counts))
            + "data: [DONE]\n\n"
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: Any) -> None:
        """Nothing: what counts is in the ledger of the pass."""


def _events(asked: dict[str, Any], text: str, counts: float) -> Sequence[dict[str, Any]]:
    """A stream of one answer: what it says, why it ends, what it took."""
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
    count = default_tokenizer().count
    beside = {name: asked[name] for name in ("response_format", "tools") if name in asked}
    sent = count(json.dumps(beside, ensure_ascii=False, separators=(",", ":")))
    sent += sum(count(message["content"]) + _FRAME for message in asked["messages"])
    sent, said_tokens = round(counts * sent), round(counts * count(text))
    usage = {"prompt_tokens": sent, "completion_tokens": said_tokens, "total_tokens": sent + said_tokens}
    said = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return [{**head, "choices": [said]}, {**head, "choices": [end]}, {**head, "choices": [], "usage": usage}]


@contextmanager
def answering(behaviour: Behaviour, *, counts: float = 1.0) -> Iterator[str]:
    """The address of a server that behaves so, while it runs.

    Args:
        counts: tokens that it bills for each that the project's tokenizer counts.
    """
    server = _Server(("127.0.0.1", 0), _Handler)
    server.behaviour, server.counts = behaviour, counts
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
