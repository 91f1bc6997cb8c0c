"""Who may ask, and what a browser may do with the answer.

Four things are checked before any route is looked at:

    host     the name that the client called us by. A page elsewhere can make its own name point here (DNS rebinding);
             it cannot make a browser send another name.
    origin   the page that a browser's request came from. Nothing but our own pages may change anything.
    token    asked for where the server listens on more than loopback; as `Authorization: Bearer`, or as the cookie that
             the sign-in page sets.
    size     of what is sent, declared or not.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 1_000_000  # bytes
_LONGEST_LENGTH = 18  # digits of a length that anybody could mean
COOKIE = "graphdream"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OPEN_PATHS = ("/login", "/static/")  # what a browser needs to sign in
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    # The name of a page may hold an entity's name; it is nobody else's business.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    if host in _LOOPBACK:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def cookie_of(token: str) -> str:
    """What the cookie of a signed-in browser holds: proof of the token, and not the token."""
    return hmac.new(token.encode(), b"graphdream dashboard", hashlib.sha256).hexdigest()


class Guard:
    """Wraps an application.

    Args:
        hosts: names that the server may be called by beside those of loopback, without a port.
        token: None asks for none.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] = (), token: str | None = None) -> None:
        self._app, self._token = app, token
        self._hosts = _LOOPBACK | {host.lower() for host in hosts}
        self._any_address = token is not None and bool({"0.0.0.0", "::"} & self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what may not pass; hand on the rest."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        send = _with_headers(send, scope["path"])
        if refusal is not None:
            await _refuse(scope, headers, send, *refusal)
            return
        await self._app(scope, _bounded(receive), send)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        host = _name_of(headers.get("host", ""))
        if not self._is_ours(host):
            return 421, f"this server is not called {host!r}", "start it with --allow-host NAME to let it be"
        if scope["method"] not in _SAFE and not _same_origin(headers):
            return 403, "another site may not change anything here", "use the dashboard, or a client without an Origin"
        length = headers.get("content-length", "0")
        # A header may have signs, such as `²`, that Unicode calls digits and nobody can count with.
        if not (length.isascii() and length.isdigit() and len(length) <= _LONGEST_LENGTH) or int(length) > BODY_LIMIT:
            return _TOO_LARGE
        if self._token is not None and not scope["path"].startswith(_OPEN_PATHS) and not self._knows(headers):
            return 401, "a token is needed", "send Authorization: Bearer TOKEN; it lies beside the database"
        return None

    def _is_ours(self, host: str) -> bool:
        if host in self._hosts:
            return True
        if not self._any_address:
            return False
        try:
            ip_address(host)
        except ValueError:
            return False
        return True  # an address cannot be made to point elsewhere

    def _knows(self, headers: Headers) -> bool:
        assert self._token is not None
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), self._token.encode()):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), cookie_of(self._token).encode())


_TOO_LARGE = 413, f"more than {BODY_LIMIT:,} bytes were sent", "send less; files are imported on the command line"


def _name_of(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _same_origin(headers: Headers) -> bool:
    """Whether a request that changes something comes from our own page, or from no page at all."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        return False


def _bounded(receive: Receive) -> Receive:
    """Count what comes, whatever was declared."""
    got = 0

    async def bounded() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > BODY_LIMIT:
            raise HTTPException(413, _TOO_LARGE[1])
        return message

    return bounded


def _with_headers(send: Send, path: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if not path.startswith("/static/"):
                headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending


async def _refuse(scope: Scope, headers: Headers, send: Send, status: int, error: str, hint: str) -> None:
    """Answer with a refusal: a browser without a token is shown where to sign in."""
    if status == 401 and "text/html" in headers.get("accept", "") and scope["method"] in _SAFE:
        await send({"type": "http.response.start", "status": 303, "headers": [(b"location", b"/login")]})
        await send({"type": "http.response.body", "body": b""})
        return
    body = json.dumps({"error": error, "hint": hint, "code": 2}, ensure_ascii=False).encode()
    sent = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        sent.append((b"www-authenticate", b"Bearer"))
    if status == 413:
        sent.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": body})
