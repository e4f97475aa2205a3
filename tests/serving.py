"""HTTP servers on 127.0.0.1, NCBI's layout of GEO among them.

`serving` is a context with a server that has answers by path, and keeps the paths that were asked
for in ``requests``: ``serving("geo", {"a.csv": ["500", b"x,y"]})`` fails once and then sends the
file. `unavailable` expects that a file cannot be fetched, for a reason that matches.
"""

import http.server
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from xnbflow.sources.places.downloads import UnavailableError


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers a request with the next of the server's answers; the last one stays.

    An answer is a body, a status such as "404", a URL to go to, "truncated" (the header declares
    1,000 bytes more than are sent) or "slow" (after a second). Where it is no body, the usual body
    of the server is sent.
    """

    def do_GET(self):
        """Send the next answer for the path; 404 if there is none."""
        self.server.requests.append(self.path)
        answers = self.server.answers.get(self.path, ["404"])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        body = answer if isinstance(answer, bytes) else self.server.usual
        if answer == "slow":
            time.sleep(1.0)
        moved = str(answer).startswith("http")
        status = 200
        if moved:
            status = 302
        elif str(answer).isdigit():
            status = int(answer)
        self.send_response(status)
        if moved:
            self.send_header("Location", answer)
        length = len(body)
        if answer == "truncated":
            length += 1000
        self.send_header("Content-Length", str(length))
        self.end_headers()
        with suppress(OSError):  # who asked did not want to wait, or has closed the connection
            self.wfile.write(body)

    def log_message(self, *_):
        """Print nothing: a test that fails shows what the client made of the answer."""


@contextmanager
def serving(folder, files, usual=b""):
    """Serve answers by path below a folder on a free port; yield the server.

    It has ``url``, the address of the folder, and ``requests``, the paths that were asked for.
    ``files`` has a list of answers for each path, ``usual`` is the body of answers that are none.
    """
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.answers = {f"/{folder}/{path}": answers for path, answers in files.items()}
        server.requests = []
        server.usual = usual
        server.url = f"http://127.0.0.1:{server.server_port}/{folder}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def ncbi(files):
    """Serve a body for each path below the folder ``geo``, as NCBI does."""
    return serving("geo", {path: [body] for path, body in files.items()})


@contextmanager
def unavailable(match):
    """Expect that a file is unavailable from its one place, for a reason that matches."""
    with pytest.raises(UnavailableError, match=match):
        yield
