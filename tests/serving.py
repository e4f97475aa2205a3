"""HTTP servers on 127.0.0.1."""

import http.server
import threading
from contextlib import contextmanager


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
