"""Drive a page in headless Chromium with real clicks and keys (DevTools protocol).

The protocol uses two pipes with JSON messages, each ended by a NUL byte. No port is opened.

    with Chromium() as browser:
        browser.open("page.html")
        browser.click("#next")
        browser.key("j")
        print(browser.value("document.title"), browser.problems)
"""
import base64
import collections
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-headless-shell", "chromium-browser")
# Chromium's sandbox does not work for root and in most containers; only local files are opened.
OPTIONS = (
    "--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-extensions",
    "--disable-sync", "--force-device-scale-factor=1", "--hide-scrollbars", "--no-first-run",
    "--password-store=basic",
)
PATIENCE = 60  # seconds until a step counts as failed
KEY_CODES = {"Enter": 13, "Escape": 27, "Tab": 9, "End": 35, "Home": 36, "ArrowLeft": 37,
             "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32}
TYPED = {"Enter": "\r"}


def find():
    """Return the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Failure(Exception):
    """A step that failed in the page or the browser."""


class Chromium:
    def __init__(self, width=1200, height=900):
        self.problems = []   # console messages, exceptions, refused content
        self.requests = []   # addresses that are not on this machine
        self.size = (width, height)
        self.events = collections.deque()
        self.buffer = b""
        self.count = 0
        self.session = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _start(self):
        # The child finds its ends at 3 and 4; high numbers cannot collide with those.
        child_in, parent_out = os.pipe()
        parent_in, child_out = os.pipe()
        child = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (child_in, child_out)]
        os.close(child_in)
        os.close(child_out)
        self.input, self.output = parent_in, parent_out
        command = [find(), *OPTIONS, f"--user-data-dir={self.folder}"]
        environment = dict(os.environ, HOME=self.folder)
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{child[0]} 4>&{child[1]}', "bash", *command,
             "about:blank"], pass_fds=child, env=environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in child:
            os.close(end)
        self.tab()

    def tab(self):
        """Open another tab, and drive it from now on. Return the session of the tab driven before; setting `session` to it
        drives that tab again."""
        before, self.session = self.session, None
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(domain + ".enable")
        self.resize(*self.size)
        return before

    def _stop(self):
        if hasattr(self, "process"):
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            os.close(self.input)
            os.close(self.output)
        for _ in range(20):  # other processes of the browser may still be writing
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                break
            time.sleep(0.05)

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.input, 1 << 16) if ready else b""
            if not data:
                raise Failure("the browser is silent" if not ready else "the browser has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.problems.append(json.dumps(what["args"]))
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(what["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.problems.append(what["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            if what["type"] != "beforeunload":
                self.problems.append("dialog: " + what["message"])
            self._send("Page.handleJavaScriptDialog", {"accept": True})
        elif method == "Network.requestWillBeSent":
            if not what["request"]["url"].startswith(("file:", "about:")):
                self.requests.append(what["request"]["url"])
        self.events.append(method)

    def _send(self, method, arguments):
        self.count += 1
        message = {"id": self.count, "method": method, "params": arguments}
        if self.session is not None:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        return self.count

    def call(self, method, **arguments):
        """Send a command of the protocol and return its result."""
        number = self._send(method, arguments)
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._receive(deadline)
            if message.get("id") == number:
                if "error" in message:
                    raise Failure(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self._note(message)

    def open(self, path, place=""):
        """Open a file, wait until it is loaded, and return the seconds."""
        # If only the fragment of the address changed, the browser would not load the page again.
        self.call("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.events.clear()
        start = time.monotonic()
        address = pathlib.Path(path).resolve().as_uri() + place
        answer = self.call("Page.navigate", url=address)
        if "errorText" in answer:
            raise Failure(f"{address}: {answer['errorText']}")
        self.wait("location.href.startsWith('file:') && document.readyState === 'complete'")
        return time.monotonic() - start

    def value(self, expression):
        """Return the value of a JavaScript expression, passed as JSON."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, patience=PATIENCE):
        """Wait until a JavaScript expression is true, at most `patience` seconds, also while another page replaces this one."""
        deadline = time.monotonic() + patience
        while not self._holds(expression):
            if time.monotonic() > deadline:
                raise Failure(f"never true: {expression}")
            time.sleep(0.01)

    def _holds(self, expression):
        try:
            return self.value(expression)
        except Failure as failure:
            if not str(failure).endswith(("navigated or closed", "context was destroyed.", "default execution context")):
                raise
            return False

    def _middle(self, selector):
        """Return the point to click for an element, scrolled into view, as soon as nothing covers or moves it."""
        deadline, before = time.monotonic() + PATIENCE, None
        while (place := self._uncovered(selector)) is None or place != before:
            if time.monotonic() > deadline:
                raise Failure(f"nothing to point at: {selector}")
            before = place
            time.sleep(0.02)
        return dict(x=place[0], y=place[1])

    def _uncovered(self, selector):
        """Return the middle of an element, scrolled into view; None if there is no such element, or another covers it."""
        return self.value(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            if (found === null) return null;
            for (let tries = 0; tries < 2; tries++) {{
                const box = found.getBoundingClientRect();
                const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
                const top = document.elementFromPoint(x, y);
                if (found === top || found.contains(top)) return [x, y];
                found.scrollIntoView({{block: "center", inline: "center"}});
            }}
            return null;
        }})()""")

    def hover(self, selector):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **self._middle(selector))

    def click(self, selector):
        place = self._middle(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **place)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    def key(self, name, shift=False):
        """Press a key: a character, or a name such as ArrowDown."""
        code = KEY_CODES.get(name, ord(name.upper()) if len(name) == 1 and name.isalnum() else 0)
        event = dict(key=name, windowsVirtualKeyCode=code, modifiers=8 if shift else 0)
        text = TYPED.get(name, name if len(name) == 1 else None)
        if text is not None:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        else:
            self.call("Input.dispatchKeyEvent", type="rawKeyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        for character in text:
            self.key(character) if character.isascii() else self.call("Input.insertText",
                                                                      text=character)

    def media(self, kind="", **features):
        """Emulate print or screen, and features such as prefers_color_scheme="dark"."""
        self.call("Emulation.setEmulatedMedia", media=kind, features=[
            dict(name=name.replace("_", "-"), value=value) for name, value in features.items()])

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def touch(self, enabled):
        """Enable or disable the emulation of a touch screen."""
        self.call("Emulation.setTouchEmulationEnabled", enabled=enabled, maxTouchPoints=1)

    def accessibility(self):
        """Return the accessibility tree: dictionaries with role, name, id, parent."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [dict(role=node.get("role", {}).get("value"), name=node.get("name", {}).get("value"),
                     id=node["nodeId"], parent=node.get("parentId"))
                for node in nodes if not node["ignored"]]

    def picture(self, path, **clip):
        """Write a PNG of the view, or of the part (x, y, width, height)."""
        part = {"clip": dict(clip, scale=1)} if clip else {}
        data = self.call("Page.captureScreenshot", format="png", **part)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self):
        """Return the page as a PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])
