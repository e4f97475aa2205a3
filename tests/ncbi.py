"""NCBI's layout of GEO, served from 127.0.0.1."""

import http.server
import time
from contextlib import contextmanager

from serving import serving


@contextmanager
def ncbi(files):
    """Serve files by path below ``/geo``; the server keeps what was asked and how much was sent."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.removeprefix("/geo/")
            server.requests.append(path)
            body = server.files.get(path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            sent = 0
            try:
                while body and sent < len(body):
                    sent += self.wfile.write(body[sent : sent + 4096])
                    time.sleep(0.001)
            except OSError:  # the client has closed the connection
                pass
            server.sent.append(sent)

        def log_message(self, *_):
            pass

    with serving(Answers, files=files, requests=[], sent=[]) as server:
        server.url += "/geo"
        yield server
