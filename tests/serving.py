"""HTTP servers on 127.0.0.1, NCBI's layout of GEO among them."""

import http.server
import threading
from contextlib import contextmanager, suppress


@contextmanager
def serving(handler, tls=None, **state):
    """Serve on a free port what a handler answers; it finds the state at ``self.server``.

    With an `ssl.SSLContext` as ``tls`` it is HTTPS at localhost.
    """
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        vars(server).update(state)
        server.url = f"http://127.0.0.1:{server.server_port}"
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
            server.url = f"https://localhost:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


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
