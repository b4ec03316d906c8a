"""A headless Chromium, spoken to over its remote debugging port. No driver, nothing to download."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

MISSING = (
    "not run: no Chromium on this machine. To get it, Debian: sudo apt-get install chromium; "
    "Ubuntu, whose Chromium is a snap and may not read /tmp: Google Chrome's package"
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    found = (path for name in NAMES if (path := shutil.which(name)))
    return next((path for path in found if not is_snap(Path(path))), None)


def is_snap(program: Path) -> bool:
    """Ubuntu's Chromium, or the script that starts it: it sees no page in /tmp and says nothing."""
    with program.open("rb") as file:
        return program.resolve().name == "snap" or b"/snap/" in file.read(4096)


class Tab:
    """One page of one browser. `problems` are its errors, and what it wanted from another host."""

    def __init__(self, program: str, scratch: Path) -> None:
        self.problems: list[str] = []
        self.loop = asyncio.new_event_loop()
        self.numbers = itertools.count(1)
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
        options += ["--no-first-run", "--disable-background-networking", "--hide-scrollbars"]
        self.process = subprocess.Popen(
            [program, *options, f"--user-data-dir={scratch}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.socket: WebSocketClientConnection = self.loop.run_until_complete(
            self.connect(scratch / "DevToolsActivePort")
        )
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    async def connect(self, file: Path) -> WebSocketClientConnection:
        deadline = time.monotonic() + 60
        while not file.exists() or not file.read_text().strip():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError("Chromium did not start")
            await asyncio.sleep(0.1)
        port = file.read_text().splitlines()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=60) as answer:
            tabs = [tab for tab in json.load(answer) if tab["type"] == "page"]
        return await websocket_connect(
            tabs[0]["webSocketDebuggerUrl"], max_message_size=256 * 2**20
        )

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.loop.run_until_complete(self.answer(method, parameters))

    async def answer(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        number = next(self.numbers)
        await self.socket.write_message(
            json.dumps({"id": number, "method": method, "params": parameters})
        )
        while True:
            message = await asyncio.wait_for(self.next_message(), 120)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    async def next_message(self) -> dict[str, Any]:
        text = await self.socket.read_message()
        if text is None:
            raise RuntimeError("Chromium closed the connection")
        message = json.loads(text)
        self.note(message)
        return message

    def note(self, message: dict[str, Any]) -> None:
        about = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", str(details)))
        if message.get("method") == "Runtime.consoleAPICalled" and about["type"] == "error":
            self.problems.append(str(about["args"]))
        if message.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.problems.append(about["entry"]["text"])
        if message.get("method") == "Network.requestWillBeSent":
            url = about["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.problems.append(f"asks another host: {url}")

    def size(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def open(self, page: Path) -> None:
        self.problems.clear()
        self.call("Page.navigate", url=page.as_uri())
        deadline = time.monotonic() + 60
        while self.run("document.readyState + location.href") != f"complete{page.as_uri()}":
            if time.monotonic() > deadline:
                raise RuntimeError(f"{page} does not load")
            time.sleep(0.05)

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script[:80]}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.loop.close()
