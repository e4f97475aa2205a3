"""HTTP servers on 127.0.0.1."""

import http.server
import threading
from contextlib import contextmanager


@contextmanager
def serving(handler, **state):
    """Serve on a free port what a handler answers; it finds the state at ``self.server``."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        vars(server).update(state)
        server.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
