"""A running `elman serve` for tests, and requests to it."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
# Sanitizers slow the service down; nothing here waits longer than this for what must happen.
PATIENCE = 60
# Options of a service that accepts Service.slow_request().
FOR_SLOW_REQUESTS = "-t", "1", "--max-tokens", "5000", "--max-output", "10000", "--max-beam", "64"
# A request for /v1/translations of 200 sentences with 4,800 tokens on either side: 1,000 times the work of the short
# requests that a test sends meanwhile. And the options of a service that accepts it.
ENDLESS = {"texts": ["我 爱 茶 他 喝 水 " * 800] * 200, "references": ["I love tea he drinks water " * 800] * 200}
FOR_ENDLESS_REQUESTS = *FOR_SLOW_REQUESTS, "--max-body", "10000000", "--timeout", "3600"


def require(condition, message):
    if not condition:
        raise AssertionError(message)


def equal(found, expected, what):
    require(found == expected, f"{what}: {found!r} instead of {expected!r}")


def await_(condition, what, patience=PATIENCE):
    """Wait until the condition holds, and return its value."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"timed out waiting until {what}")


def at_once(calls):
    """Call functions in threads of their own; return their results in order."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [one.result() for one in [pool.submit(call) for call in calls]]


def write_private(folder, name, *words):
    """Write words as lines to a file that only its user can read; return its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(words))
    os.chmod(path, 0o600)
    return path


def serve(elman, folder, *options, prefix=(), environment=None):
    """Run a service that does not start."""
    return subprocess.run([*prefix, elman, "serve", "-m", "toy.zh-en.safetensors", *options], cwd=folder, capture_output=True,
                          text=True, check=False, timeout=PATIENCE, env={**os.environ, **(environment or {})})


def post_bytes(path, body, *headers):
    """Return the bytes of a request; a dict as body is sent as JSON."""
    body = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers, f"Content-Length: {len(body)}"]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def check(self, status, error=None):
        """Check the status; an error must be JSON with a matching message."""
        equal(self.status, status, f"the status of {self.body[:300]!r}")
        if status >= 400:
            equal(self.headers.get_content_type(), "application/json", "the type of an error")
            require(isinstance(self.json["error"], str), f"{self.body!r} has no message")
        if error is not None:
            require(re.search(error, self.json["error"]), f"{self.json['error']!r} does not match {error!r}")
        return self


def make_models(elman, root, folder):
    """Train toy.zh-en.safetensors and other.safetensors, which gives other translations."""
    pairs = os.path.join(root, "data", "toy.zh-en.tsv")
    for name, options in ("toy.zh-en.safetensors", ()), ("other.safetensors", ("--epochs", "1")):
        subprocess.run([elman, "train", "-q", "-t", "1", *options, "-o", name, pairs], cwd=folder, check=True)


class Service:
    def __init__(self, elman, folder, *options, listen="127.0.0.1:0", models=("toy.zh-en.safetensors",), prefix=(),
                 environment=None, descriptors=(), messages=None):
        """`messages` is a descriptor for the messages in place of a file."""
        self.folder = folder
        self.messages = os.path.join(folder, f"messages-{time.monotonic_ns()}")
        named = [word for model in models for word in ("-m", model)]
        where = () if listen is None else ("--listen", listen)
        with open(self.messages, "wb") as file:
            self.process = subprocess.Popen(
                [*prefix, elman, "serve", *named, *where, *options], cwd=folder, stderr=messages or file,
                env={**os.environ, **(environment or {})}, pass_fds=descriptors)
        self.address = messages or await_(self.find_address, f"the service listens: {self.said()}")

    def said(self):
        with open(self.messages, encoding="utf-8") as file:
            return file.read()

    def find_address(self):
        found = re.search(r"^listening at (\S+)\n", self.said(), re.M)
        require(found or self.process.poll() is None, f"the service ended: {self.said()}")
        return found and found[1]

    def connect(self):
        """Return a new socket."""
        if self.address.startswith("unix:"):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(os.path.join(self.folder, self.address[len("unix:"):]))
            return connection
        host, port = re.fullmatch(r"http://\[?([^\]]*)\]?:(\d+)", self.address).groups()
        connection = socket.create_connection((host, int(port)), timeout=PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # http.client sends head and body separately
        return connection

    def connection(self):
        """Return a connection for several requests."""
        made = http.client.HTTPConnection("localhost")
        made.sock = self.connect()
        made.sock.settimeout(PATIENCE)
        made.auto_open = 0
        return made

    def ask(self, method, path, body=None, headers=None, connection=None):
        """Send a request; a dict or list as body is sent as JSON."""
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body, ensure_ascii=False).encode()
            headers.setdefault("Content-Type", "application/json")
        used = connection or self.connection()
        used.request(method, path, body, headers)
        answer = used.getresponse()
        content = answer.read()
        if connection is None:
            used.close()
        return Answer(answer.status, answer.headers, content)

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body, **options):
        return self.ask("POST", path, body, **options)

    def translate(self, text, **options):
        return self.post("/translate", {"q": text, "source": "zh", "target": "en"}, **options)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def slow_request(self):
        """Return a body for /v1/translations: 16 sentences that take at least two seconds here, however busy the
        machine is. The service has one thread."""
        for words in 4, 8, 16, 32, 64, 128, 256, 512, 800:
            body = {"texts": ["我 爱 茶 他 喝 水 " * words] * 16, "beam": 64}
            before = self.processor_seconds()
            self.post("/v1/translations", body).check(200)
            if self.processor_seconds() - before > 2:
                break
        return body

    def begin(self, path, body, *headers):
        """Send a request without waiting for its answer; return its socket."""
        connection = self.connect()
        connection.sendall(post_bytes(path, body, *headers))
        return connection

    def raw(self, sent, half_close=True):
        """Send bytes on a new connection; return all bytes of the answer."""
        with contextlib.closing(self.connect()) as connection:
            try:
                connection.sendall(sent)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # closed before it has read everything
            return self.receive(connection)

    @staticmethod
    def receive(connection):
        """Return the answer, or what arrives before the connection is closed."""
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while block := connection.recv(1 << 16):
                received += block
                head, end, body = received.partition(b"\r\n\r\n")
                length = re.search(rb"\r\ncontent-length: (\d+)", head.lower())
                if end and length and len(body) >= int(length[1]):
                    break
        return received

    def metric(self, name):
        found = re.search(rf"^elman_{re.escape(name)} (\S+)$", self.get("/metrics").body.decode(), re.M)
        require(found, f"there is no metric {name}")
        return float(found[1])

    def memory(self):
        """Return the resident memory in bytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self, number=signal.SIGTERM, code=0):
        self.process.send_signal(number)
        equal(self.process.wait(PATIENCE), code, f"the exit code after {self.said()}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.process.poll() is None:
            if kind is None:
                self.stop()
            else:
                self.process.kill()
                self.process.wait()
        if kind is not None:
            print(f"messages of the service:\n{self.said()}", file=sys.stderr)
        for word in "Sanitizer", "runtime error":
            require(word not in self.said(), f"a sanitizer reports:\n{self.said()}")


def is_sanitized(elman):
    """Whether a sanitizer makes the program many times slower."""
    return "asan" in elman or has_thread_sanitizer(elman)


def has_thread_sanitizer(elman):
    return "tsan" in elman


def run_tests(tests, at_a_time=2, of_limits=()):
    """Run the functions with (elman, folder, root) from the command line: ELMAN ROOT [NAME...].

    Two run at a time, each in a folder of its own, because they mostly wait. The longest should come first.
    ThreadSanitizer would take minutes for those of limits, whose threads do nothing that they do not do in others."""
    elman, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    wanted = sys.argv[3:] or [test.__name__ for test in tests if not (has_thread_sanitizer(elman) and test in of_limits)]
    probe = subprocess.run([elman, "serve", "-m", "/nowhere", "--listen", "127.0.0.1:0"], capture_output=True, check=False)
    if probe.returncode == 69:
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as models, concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        make_models(elman, root, models)

        def run(test):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(models, folder, dirs_exist_ok=True)
                test(elman, folder, root)
            print(f"{test.__name__}: good", flush=True)
        running = [pool.submit(run, test) for test in tests if test.__name__ in wanted]
        for done in concurrent.futures.as_completed(running):
            if done.exception():
                pool.shutdown(wait=False, cancel_futures=True)
                done.result()
