"""NCBI's layout of GEO, served from 127.0.0.1."""

import http.server
from contextlib import contextmanager, suppress

from serving import serving


@contextmanager
def ncbi(files):
    """Serve files by path below ``/geo``; the server keeps what was asked."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.removeprefix("/geo/")
            server.requests.append(path)
            body = server.files.get(path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            with suppress(OSError):  # the client has closed the connection
                self.wfile.write(body or b"")

        def log_message(self, *_):
            pass

    with serving(Answers, files=files, requests=[]) as server:
        server.url += "/geo"
        yield server
