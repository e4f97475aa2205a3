"""Limits of a download: size, free disk, rate, and where a redirection leads. Only on 127.0.0.1."""

import socket
import threading
import time
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest
from serving import serving, unavailable
from toys import refused

from xnbflow.sources.places import http
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.retries import RetryPolicy

BODY = b"sample,type,g1\n" + b"s1,a,1.5\n" * 50


@contextmanager
def raw_server(answer):
    """Serve connections by a function of the socket; yield the URL of a file."""
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
        yield f"http://127.0.0.1:{server.getsockname()[1]}/x.csv"


def fetch(folder, url, sha256=None, **settings):
    quick = {"timeout": 0.3, "retries": 1, "backoff": 0.01} | settings
    places = Downloads(folder, retry=RetryPolicy(**quick))
    return places.fetch_location("table", url, name="x.csv", sha256=sha256)


def test_a_server_that_does_not_answer_is_given_up_after_the_timeout(tmp_path):
    ended = threading.Event()
    with raw_server(lambda _: ended.wait(5)) as url:
        with unavailable("http.no-answer", r"no answer within 0\.1 s"):
            fetch(tmp_path, url, timeout=0.1, retries=0)
        ended.set()


def test_a_connection_that_is_refused_is_tried_again_and_named(tmp_path):
    with raw_server(lambda _: None) as url:
        pass  # nobody listens after the end
    with unavailable(
        "http.no-connection", r"the connection failed \(Connection refused\), 2 times"
    ):
        fetch(tmp_path, url)


def test_a_redirection_to_no_url_is_a_failed_request(tmp_path):
    with (
        serving("d", {"x.csv": ["http://[/x.csv"]}) as server,
        unavailable("http.no-request", r"the request failed \(Invalid IPv6 URL\)"),
    ):
        fetch(tmp_path, f"{server.url}/x.csv")


def test_a_redirection_to_another_kind_of_address_is_refused(tmp_path):
    moved = b"HTTP/1.1 302 Found\r\nLocation: ftp://a.org/x.csv\r\nContent-Length: 0\r\n\r\n"
    with (
        raw_server(lambda connection: connection.sendall(moved)) as url,
        unavailable("http.no-web-address", "redirected to 'ftp://a.org/x.csv'"),
    ):
        fetch(tmp_path, url)


def test_a_server_that_has_no_file_is_quoted(tmp_path):
    with (
        serving("d", {}) as server,
        unavailable("http.status", "/x.csv: the server answered 404 Not Found"),
    ):
        fetch(tmp_path, f"{server.url}/x.csv")


def announcing(length):
    """Announce a length, and send bytes until the connection is closed."""

    def answer(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length)
        for _ in range(10_000):
            connection.sendall(b"0" * 65_536)

    return answer


def written(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_stated_terabyte_is_refused_before_it_is_written(tmp_path):
    with (
        raw_server(announcing(10**12)) as url,
        unavailable("http.too-large", r"1,000\.0 GB, more than the limit of 20 GB"),
    ):
        fetch(tmp_path, url)
    assert written(tmp_path) == []


def test_the_limit_can_be_raised_and_holds_for_lengths_that_are_not_stated(tmp_path, monkeypatch):
    monkeypatch.setattr(http, "BYTES_BETWEEN_CHECKS", 1000)
    size = len(BODY) / 1e9

    def chunked(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(20):
            connection.sendall(b"%x\r\n%s\r\n" % (len(BODY), BODY))
        connection.sendall(b"0\r\n\r\n")

    with serving("d", {"x.csv": [BODY]}) as server:
        with unavailable("http.too-large", "more than the limit"):
            fetch(tmp_path / "a", f"{server.url}/x.csv", most_gigabytes=0.99 * size)
        path = fetch(tmp_path / "b", f"{server.url}/x.csv", most_gigabytes=1.01 * size)
        assert path.read_bytes() == BODY
    with raw_server(chunked) as url:
        with unavailable("http.too-large", "more than the limit"):
            fetch(tmp_path / "c", url, most_gigabytes=5 * size)
        assert fetch(tmp_path / "d", url, most_gigabytes=21 * size).read_bytes() == BODY * 20


@pytest.mark.parametrize(("free", "fits"), [(0.5e9 + 459, False), (0.5e9 + 465, True)])
def test_a_file_leaves_half_a_gigabyte_of_the_disk(tmp_path, monkeypatch, free, fits):
    usage = SimpleNamespace(total=10**12, used=10**12 - int(free), free=int(free))
    monkeypatch.setattr(http.shutil, "disk_usage", lambda _: usage)
    assert len(BODY) == 465
    with serving("d", {"x.csv": [BODY]}) as server:
        url = f"{server.url}/x.csv"
        if fits:
            assert fetch(tmp_path, url).read_bytes() == BODY
        else:
            with unavailable("http.full-disk", r"has 0\.5 GB free, too little for a file"):
                fetch(tmp_path, url)
            assert written(tmp_path) == []


def test_another_host_is_refused_unless_it_is_allowed_or_the_file_is_known(tmp_path):
    with serving("d", {"x.csv": [BODY]}) as second:
        other = second.url.replace("127.0.0.1", "localhost") + "/x.csv"
        with serving("d", {"x.csv": [other]}) as first:
            url = f"{first.url}/x.csv"
            with unavailable("http.other-host", r"127\.0\.0\.1 redirected to localhost, another"):
                fetch(tmp_path / "a", url)
            assert second.requests == []  # it was not even asked
            assert fetch(tmp_path / "b", url, other_hosts=True).read_bytes() == BODY
            sha256 = http_digest(BODY)
            assert fetch(tmp_path / "c", url, sha256=sha256).read_bytes() == BODY


def http_digest(body):
    import hashlib

    return hashlib.sha256(body).hexdigest()


def test_a_private_address_is_refused_after_a_public_one_in_any_case(tmp_path, monkeypatch):
    monkeypatch.setattr(http, "is_private", lambda host: host == "localhost")
    with serving("d", {"x.csv": [BODY]}) as second:
        other = second.url.replace("127.0.0.1", "localhost") + "/x.csv"
        with serving("d", {"x.csv": [other]}) as first:
            for settings in ({"other_hosts": True}, {"sha256": http_digest(BODY)}):
                with unavailable("http.private-address", "localhost, an address of a private"):
                    fetch(tmp_path, f"{first.url}/x.csv", **settings)
    assert second.requests == []


@pytest.mark.parametrize(
    ("host", "private"),
    [("127.0.0.1", True), ("10.1.2.3", True), ("169.254.0.1", True), ("8.8.8.8", False)],
)
def test_addresses_of_private_networks(host, private):
    assert http.is_private(host) == private


def test_redirections_within_a_host_are_followed_but_not_without_end(tmp_path):
    with serving("d", {"x.csv": [BODY]}) as server:
        address = server.url
        server.answers["/d/moved.csv"] = [f"{address}/x.csv"]
        server.answers["/d/circle.csv"] = [f"{address}/circle.csv"]
        assert fetch(tmp_path, f"{address}/moved.csv").read_bytes() == BODY
        with unavailable("http.many-redirections", "more than 10 redirections"):
            fetch(tmp_path, f"{address}/circle.csv")


def test_the_beginning_of_a_file_that_drips_is_given_up(tmp_path):
    def drip(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(400):
            connection.sendall(b"0")
            time.sleep(0.02)

    places = Downloads(tmp_path, retry=RetryPolicy(timeout=0.2, retries=0))
    with raw_server(drip) as url:
        base, _, name = url.rpartition("/")
        start = time.monotonic()
        with (
            refused("less than 1000 bytes per second", code="downloads.ended-early"),
            places.open_head("geo", name, default=[base]) as (_, stream),
        ):
            stream.read(1000)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("temporary", "remedy", "code"),
    [
        (False, "put the file .* by hand .*table", "downloads.unavailable"),
        (True, "get the file by a browser", "downloads.unavailable-url"),
    ],
)
def test_a_file_is_put_by_hand_only_where_the_folder_remains(tmp_path, temporary, remedy, code):
    retry = RetryPolicy(retries=0)
    downloads = Downloads(tmp_path, retry=retry, temporary=temporary)
    with serving("d", {}) as server, refused(remedy, code=code):
        downloads.fetch_location("table", f"{server.url}/x.csv", name="x.csv")


@pytest.mark.parametrize(
    ("other", "is_followed"),
    [
        ("www.example.org", True),
        ("example.org", True),
        ("evilexample.org", False),  # its name ends with the host's, but it is no part of it
        ("example.org.evil.net", False),
    ],
)
def test_parts_of_a_host_are_the_same_site(other, is_followed):
    """Redirections within a site are followed without a checksum."""
    assert http.is_same_site("example.org", other) == is_followed
