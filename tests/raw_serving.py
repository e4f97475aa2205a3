"""A server on 127.0.0.1 that answers by a function of the socket, for answers that are cut."""

import socket
import threading
import time
from contextlib import contextmanager, suppress


@contextmanager
def raw_server(answer):
    """Serve connections by a function of the socket; yield the address of the server."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def handle(connection):
            with connection, suppress(OSError):
                connection.recv(4096)
                answer(connection)

        def loop():
            with suppress(OSError):
                while True:
                    connection = server.accept()[0]
                    threading.Thread(target=handle, args=(connection,), daemon=True).start()

        threading.Thread(target=loop, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def drip(connection):
    """Announce a file, and send it a byte at a time for 20 seconds."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(1000):
        connection.sendall(b"x")
        time.sleep(0.02)
