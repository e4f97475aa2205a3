"""HTTP servers on 127.0.0.1, NCBI's layout of GEO among them."""

import http.server
import threading
import time
from contextlib import contextmanager, suppress


class Answers(http.server.BaseHTTPRequestHandler):
    """Answers a request with the next of the server's answers; the last one stays.

    An answer is a body, a status, a URL to go to, "truncated" or "slow".
    """

    def do_GET(self):
        self.server.requests.append(self.path)
        answers = self.server.answers.get(self.path, ["404"])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        body = answer if isinstance(answer, bytes) else self.server.usual
        if answer == "slow":
            time.sleep(1.0)
        moved = str(answer).startswith("http")
        self.send_response(302 if moved else int(answer) if str(answer).isdigit() else 200)
        if moved:
            self.send_header("Location", answer)
        self.send_header("Content-Length", str(len(body) + 1000 * (answer == "truncated")))
        self.end_headers()
        with suppress(OSError):  # who asked did not want to wait, or has closed the connection
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def serving(folder, files, usual=b"", tls=None):
    """Serve answers by path below a folder on a free port; the server keeps what was asked.

    With an `ssl.SSLContext` as ``tls`` it is HTTPS at localhost.
    """
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.answers = {f"/{folder}/{path}": answers for path, answers in files.items()}
        server.requests, server.usual = [], usual
        server.url = f"http://127.0.0.1:{server.server_port}/{folder}"
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
            server.url = f"https://localhost:{server.server_port}/{folder}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def ncbi(files):
    """Serve a body for each path, as NCBI does."""
    return serving("geo", {path: [body] for path, body in files.items()})
