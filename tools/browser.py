"""A headless Chromium, driven over its own debugging pipe: no driver, no library, nothing downloaded.

Source of the messages: the Chrome DevTools Protocol, https://chromedevtools.github.io/devtools-protocol/.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import F_DUPFD, fcntl
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE_SECONDS = 30.0


def found() -> str | None:
    """The browser's program; `$GRAPHDREAM_BROWSER` names another. None where there is none."""
    return os.environ.get("GRAPHDREAM_BROWSER") or next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """One page of one browser."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = os.fdopen(read, "rb", buffering=0), os.fdopen(write, "wb", buffering=0)
        self._count, self._rest, self._session = 0, b"", ""
        self.said: list[str] = []
        """What pages wrote to the console as a fault: what the policy forbade among it."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def look(self, *, width: int, height: int = 900, dark: bool = False) -> None:
        """Set how the page is looked at."""
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])

    def scripts(self, on: bool) -> None:
        """Let pages run scripts, or not."""
        self._ask("Emulation.setScriptExecutionDisabled", value=not on)

    def open(self, url: str) -> None:
        """Go to an address and wait until it has loaded."""
        self._loaded = False
        self._ask("Page.navigate", url=url)
        self._until_loaded()

    def _until_loaded(self) -> None:
        until = time.monotonic() + _PATIENCE_SECONDS
        while not self._loaded:
            self._hear(until)

    def run(self, script: str) -> Any:
        """What an expression comes to, waited for where it is a promise. Raises RuntimeError where it threw."""
        told = self._ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in told:
            raise RuntimeError(json.dumps(told["exceptionDetails"])[:500])
        return told["result"].get("value")

    def follow(self, script: str) -> None:
        """Run what leads to another page, and wait for that."""
        self._loaded = False
        self.run(script)
        self._until_loaded()

    def press(self, key: str, code: int) -> None:
        """Press and let go of a key, such as "Tab", 9."""
        for kind in ("rawKeyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                text="\r" if key == "Enter" and kind == "rawKeyDown" else "",
            )  # fmt: skip

    def picture(self, *, whole: bool = False, most: int = 4000) -> bytes:
        """The page as PNG; `whole`: also what is below the window, down to `most` pixels."""
        if not whole:
            return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])
        size = self._ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], most), "scale": 1}
        told = self._ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(told["data"])

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            answer = self._hear(until)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _hear(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if time.monotonic() > until:
                raise TimeoutError("the browser did not answer")
            part = self._read.read(1 << 16)
            if not part:
                raise RuntimeError("the browser ended")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if message.get("method") == "Page.loadEventFired":
            self._loaded = True
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            self.said.append(message["params"]["entry"]["text"])
        if message.get("method") == "Runtime.exceptionThrown":
            self.said.append(json.dumps(message["params"])[:500])
        return message


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser for a `with` block. Raises RuntimeError where there is none."""
    program = found()
    if program is None:
        raise RuntimeError("no Chromium was found; install one, or name it in $GRAPHDREAM_BROWSER")
    ours, theirs = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(prefix="graphdream-browser-", ignore_cleanup_errors=True) as profile:
        words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={profile}"]  # fmt: skip
        commands, answers = (fcntl(end, F_DUPFD, 10) for end in (theirs[0], ours[1]))

        def place() -> None:  # the browser reads its commands from descriptor 3 and writes to 4
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        process = subprocess.Popen(
            words,
            preexec_fn=place,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (theirs[0], ours[1], commands, answers):
            os.close(end)
        try:
            yield Browser(ours[0], theirs[1])
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait()
