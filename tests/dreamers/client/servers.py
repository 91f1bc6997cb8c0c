"""A real HTTP server on loopback that speaks the protocols of two providers, and misbehaves when told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.streams import events_of

Behaviour = Callable[["Handler"], None]


@dataclass
class Provider:
    """What the server will do, request by request, and what it was sent."""

    url: str
    behaviours: list[Behaviour] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def does(self, *behaviours: Behaviour) -> None:
        """From now on: these, in order, and the last one for ever."""
        self.behaviours = list(behaviours)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    provider: Provider
    asked: dict[str, Any]
    streaming = False

    def do_POST(self) -> None:
        body = self.asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.streaming = False
        self.provider.requests.append(body)
        self.provider.paths.append(self.path)
        behaviours = self.provider.behaviours
        behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        behaviour(self)

    def answer(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def stream(self, *events: str) -> None:
        """Begin a stream where there is none, and send events one by one; it goes on until `end` or `cut`."""
        if not self.streaming:
            self.streaming = True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
        for event in events:
            body = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
            self.wfile.flush()

    def end(self) -> None:
        """End a stream as the protocol says."""
        self.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """Cut the connection."""
        self.close_connection = True
        self.connection.shutdown(2)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: the tests look at what arrived."""


@contextmanager
def serving() -> Iterator[Provider]:
    """A provider on a free port of loopback."""
    handler = type("Serving", (Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    provider = Provider(f"http://127.0.0.1:{server.server_port}")
    handler.provider = provider  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


# ---------------------------------------------------------------------- what may come back, in either protocol


def says(body: Any) -> Behaviour:
    """An ordinary answer of the protocol, bit by bit where it is asked for so."""

    def speak(handler: Handler) -> None:
        if handler.asked.get("stream"):
            handler.stream(*events_of(body))
            handler.end()
        else:
            handler.answer(200, json.dumps(body).encode())

    return speak


def fails(status: int, message: str = "something is wrong", **headers: str) -> Behaviour:
    """An error as both protocols word it."""
    body = {"type": "error", "error": {"message": message, "type": "an_error", "code": None, "param": None}}
    return lambda handler: handler.answer(status, json.dumps(body).encode(), **headers)


def babbles(text: str = "<html>busy</html>", content_type: str = "text/html") -> Behaviour:
    """200, but no answer of the protocol."""
    return lambda handler: handler.answer(200, text.encode(), content_type)


def stays_silent(handler: Handler) -> None:
    handler.provider.closing.wait(20)


def trickles(handler: Handler) -> None:
    """A blank now and then: every silence is short, and it never ends."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    try:
        while not handler.provider.closing.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        return


def breaks_off(handler: Handler) -> None:
    """Half an answer, and the connection is cut."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "1", "choices": [{"mess')
    handler.wfile.flush()
    handler.cut()


# ---------------------------------------------------------------------- OpenAI: POST /v1/chat/completions


def openai_body(
    text: str | None = "fine", *, finish: str = "stop", tools: Any = None, cached: int = 0, **message: Any
) -> Any:
    if tools:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(tools)
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {
            "prompt_tokens": 1000,
            "completion_tokens": 200,
            "total_tokens": 1200,
            "prompt_tokens_details": {"cached_tokens": cached},
        },
    }


# ---------------------------------------------------------------------- Anthropic: POST /v1/messages


def anthropic_body(text: str | None = "fine", *, finish: str = "end_turn", tools: Any = None, cached: int = 0) -> Any:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text is not None else []
    for number, (name, arguments) in enumerate(tools or ()):
        content.append({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": json.loads(arguments)})
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": content,
        "stop_reason": finish,
        "stop_sequence": None,
        "usage": {"input_tokens": 1000 - cached, "output_tokens": 200, "cache_read_input_tokens": cached},
    }
