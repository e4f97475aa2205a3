"""Downloads of one URL: what is tried again, and the limits of time and size. Only on 127.0.0.1."""

import gzip
import threading

import pytest
from raw_serving import drip, raw_server
from serving import serving, unavailable
from toys import refused

from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.retries import RetryPolicy

BODY = b"sample,type,g1\n" + b"s1,a,1.5\n" * 50
PACKED = gzip.compress(BODY)


def fetch(folder, url, sha256=None, **settings):
    quick = {"timeout": 0.3, "retries": 1, "backoff": 0.01} | settings
    places = Downloads(folder, retry=RetryPolicy(**quick))
    return places.fetch_location("table", url, name="x.csv", sha256=sha256)


def written(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_server_that_does_not_answer_is_given_up_after_the_timeout(tmp_path):
    ended = threading.Event()
    with raw_server(lambda _: ended.wait(5)) as url:
        with unavailable(r"no answer within 0\.1 s"):
            fetch(tmp_path, f"{url}/x.csv", timeout=0.1, retries=0)
        ended.set()


def test_a_body_that_stalls_is_tried_again(tmp_path):
    """The first answer stops in the middle, without the end of the connection."""
    ended = threading.Event()
    connections = []

    def answer(connection):
        connections.append(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY))
        if len(connections) == 1:
            connection.sendall(BODY[:100])
            ended.wait(5)
        else:
            connection.sendall(BODY)

    with raw_server(answer) as url:
        assert fetch(tmp_path, f"{url}/x.csv").read_bytes() == BODY
        ended.set()
    assert len(connections) == 2


def test_a_slow_body_ends_at_the_deadline(tmp_path):
    with raw_server(drip) as url, unavailable(r"not whole within 0\.5 s"):
        fetch(tmp_path, f"{url}/x.csv", timeout=10.0, deadline=0.5)
    assert written(tmp_path) == []


def test_no_attempt_begins_after_the_deadline(tmp_path):
    with serving("d", {"x.csv": ["truncated"]}, BODY) as server:
        with unavailable("the file ended early"):
            fetch(tmp_path, f"{server.url}/x.csv", retries=4, backoff=60.0, deadline=30.0)
        assert len(server.requests) == 1


def test_a_connection_that_is_refused_is_named(tmp_path):
    with raw_server(lambda _: None) as url:
        pass  # nobody listens after the end
    with unavailable(r"the connection failed \(Connection refused\)"):
        fetch(tmp_path, f"{url}/x.csv")


def test_broken_gzip_is_tried_again(tmp_path):
    with serving("d", {"x.csv.gz": [PACKED[:-20], PACKED]}) as server:
        path = fetch(tmp_path, f"{server.url}/x.csv.gz")
        assert path.read_bytes() == PACKED
        assert len(server.requests) == 2


@pytest.mark.parametrize("target", ["http://[/x.csv", "ftp://a.org/x.csv"])
def test_a_redirection_to_no_web_address_is_a_failed_request(tmp_path, target):
    moved = b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % target.encode()
    with (
        raw_server(lambda connection: connection.sendall(moved)) as url,
        unavailable("the request failed"),
    ):
        fetch(tmp_path, f"{url}/x.csv")


def test_redirections_are_followed_but_not_without_end(tmp_path):
    with serving("d", {"x.csv": [BODY]}) as server:
        address = server.url
        server.answers["/d/moved.csv"] = [f"{address}/x.csv"]
        server.answers["/d/circle.csv"] = [f"{address}/circle.csv"]
        assert fetch(tmp_path, f"{address}/moved.csv").read_bytes() == BODY
        with unavailable("Exceeded 30 redirects"):
            fetch(tmp_path, f"{address}/circle.csv")


def test_a_server_that_has_no_file_is_quoted(tmp_path):
    with (
        serving("d", {}) as server,
        unavailable("/x.csv: the server answered 404 Not Found"),
    ):
        fetch(tmp_path, f"{server.url}/x.csv")


def test_a_stated_terabyte_is_refused_before_it_is_written(tmp_path):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n"
    with (
        raw_server(lambda connection: connection.sendall(head)) as url,
        unavailable(r"1,000\.0 GB, more than the limit"),
    ):
        fetch(tmp_path, f"{url}/x.csv")
    assert written(tmp_path) == []


def test_the_limit_can_be_raised_and_holds_for_lengths_that_are_not_stated(tmp_path):
    size = len(BODY) / 1e9

    def chunked(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(20):
            connection.sendall(b"%x\r\n%s\r\n" % (len(BODY), BODY))
        connection.sendall(b"0\r\n\r\n")

    with serving("d", {"x.csv": [BODY]}) as server:
        with unavailable("more than the limit"):
            fetch(tmp_path / "a", f"{server.url}/x.csv", most_gigabytes=0.99 * size)
        path = fetch(tmp_path / "b", f"{server.url}/x.csv", most_gigabytes=1.01 * size)
        assert path.read_bytes() == BODY
    with raw_server(chunked) as url:
        with unavailable("more than the limit"):
            fetch(tmp_path / "c", f"{url}/x.csv", most_gigabytes=5 * size)
        path = fetch(tmp_path / "d", f"{url}/x.csv", most_gigabytes=21 * size)
        assert path.read_bytes() == BODY * 20


def test_a_chunked_body_that_ends_early_is_tried_again(tmp_path):
    connections = []

    def answer(connection):
        connections.append(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.sendall(b"%x\r\n%s\r\n" % (len(BODY), BODY))
        if len(connections) > 1:
            connection.sendall(b"0\r\n\r\n")

    with raw_server(answer) as url:
        assert fetch(tmp_path, f"{url}/x.csv").read_bytes() == BODY
    assert len(connections) == 2


def test_a_file_whose_beginning_is_read_is_given_up_where_it_stalls(tmp_path):
    ended = threading.Event()

    def stall(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + bytes(100_000))
        ended.wait(5)

    places = Downloads(tmp_path, retry=RetryPolicy(timeout=0.2, retries=0))
    with raw_server(stall) as url:
        with (
            refused("no answer within"),
            places.open_head("geo", "x.csv", default=[url]) as (_, stream),
        ):
            assert stream.read(1000) == bytes(1000)
            stream.read(200_000)
        ended.set()


@pytest.mark.parametrize(
    ("temporary", "remedy"),
    [(False, "put the file .* by hand .*table"), (True, "get the file by a browser")],
)
def test_a_file_is_put_by_hand_only_where_the_folder_remains(tmp_path, temporary, remedy):
    retry = RetryPolicy(retries=0)
    downloads = Downloads(tmp_path, retry=retry, temporary=temporary)
    with serving("d", {}) as server, unavailable(remedy):
        downloads.fetch_location("table", f"{server.url}/x.csv", name="x.csv")
