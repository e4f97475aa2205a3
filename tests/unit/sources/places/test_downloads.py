"""Downloads against a local HTTP server that fails in the ways servers fail."""

import gzip
import hashlib
import os
import socket
from dataclasses import replace

import pytest
from raw_serving import raw_server
from serving import serving, unavailable
from toys import put, refused

from xnbflow.sources.acquire import acquire, acquire_with_findings
from xnbflow.sources.dataset_entry import DatasetEntry, Shape
from xnbflow.sources.places.downloads import Downloads, UnavailableError
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.sources.proposal.table_summary import summarise_table

pytestmark = pytest.mark.filterwarnings("ignore:.*look like intensities not logged:UserWarning")

PATH = "Brain/GSE1/Brain_GSE1.csv"
CSV = b"samples,type,g1,g2\n" + b"".join(
    b"s%d,%s,%d.5,%d.25\n" % (i, b"ab"[i % 2 : i % 2 + 1], i, 2 * i) for i in range(50)
)
SHA256 = hashlib.sha256(CSV).hexdigest()


def serve(**answers):
    """Serve answers by file name in CuMiDa's layout: csv=[...], gz=[...]."""
    paths = {"csv": PATH, "gz": f"{PATH}.gz"}
    return serving("Genes", {paths[key]: answer for key, answer in answers.items()}, CSV)


def downloads(folder, *urls, **settings):
    """Return downloads that retry at once; their timeout is long, because a machine may be busy."""
    quick = {"timeout": 10.0, "retries": 2, "backoff": 0.01} | settings
    return Downloads(folder, {"cumida": urls}, RetryPolicy(**quick))


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_is_downloaded_once(tmp_path):
    with serve(csv=[CSV]) as server:
        for _ in range(2):
            path = downloads(tmp_path, server.url).fetch("cumida", PATH)
            assert path == tmp_path / "cumida" / "Brain_GSE1.csv"
            assert path.read_bytes() == CSV
    assert server.requests == [f"/Genes/{PATH}"]
    assert files(tmp_path) == ["Brain_GSE1.csv"]


@pytest.mark.parametrize("failure", ["500", "503", "408", "425", "429", "truncated", "slow"])
def test_what_may_pass_is_tried_again(tmp_path, failure):
    timeout = 0.3 if failure == "slow" else 10.0  # the answer takes a second
    with serve(csv=[failure, failure, CSV]) as server:
        path = downloads(tmp_path, server.url, timeout=timeout).fetch("cumida", PATH, sha256=SHA256)
        assert path.read_bytes() == CSV
    assert len(server.requests) == 3
    assert files(tmp_path) == ["Brain_GSE1.csv"]


@pytest.mark.parametrize("status", ["404", "403", "http://[b"])
def test_what_does_not_pass_by_waiting_goes_to_the_next_place_at_once(tmp_path, status):
    with serve(csv=[status]) as first, serve(csv=[CSV]) as second:
        path = downloads(tmp_path, first.url, second.url).fetch("cumida", PATH)
        assert path.read_bytes() == CSV
    paths = [f"/Genes/{PATH}", f"/Genes/{PATH}.gz"]
    assert first.requests == (paths if status.isdigit() else paths[:1])
    assert second.requests == [f"/Genes/{PATH}"]


BY_HAND = {
    "plain": ("Brain_GSE1.csv", CSV, SHA256, None),
    "gzipped": ("Brain_GSE1.csv.gz", gzip.compress(CSV), SHA256, None),
    "another": ("Brain_GSE1.csv", CSV + b"x", SHA256, "has SHA-256 .* but its data set has"),
    "broken": ("Brain_GSE1.csv.gz", gzip.compress(CSV * 99)[:-20], None, "broken or truncated"),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_a_file_put_there_by_hand_is_used_or_refused_and_stays(tmp_path, case):
    name, content, sha256, wrong = BY_HAND[case]
    target = tmp_path / "cumida" / name
    target.parent.mkdir()
    target.write_bytes(content)
    if wrong is None:  # the checksum may be that of the content
        assert downloads(tmp_path).fetch("cumida", PATH, sha256=sha256) == target
    else:
        with refused(wrong, file=target):
            downloads(tmp_path).fetch("cumida", PATH, sha256=sha256)
    assert files(tmp_path) == [name]


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("scheme", ["file://", ""])
def test_a_folder_is_used_in_place(tmp_path, scheme, flat):
    mirror = tmp_path / "the mirror"
    folder = tmp_path / "downloads"
    path = put(mirror, CSV, PATH.rpartition("/")[2] if flat else PATH)
    base = path.parents[0 if flat else 2].as_uri() if scheme else str(mirror)
    assert downloads(folder, base).fetch("cumida", PATH) == path
    assert files(folder) == []


def test_a_location_of_its_own_is_downloaded_or_used_in_place(tmp_path):
    local = put(tmp_path, CSV)
    places = downloads(tmp_path / "downloads")
    assert places.fetch_location("table", str(local), name="mine.csv") == local
    assert places.fetch_location("table", local.as_uri(), name="mine.csv") == local
    local.write_bytes(CSV + CSV)  # its owner may change it
    assert places.fetch_location("table", str(local), name="mine.csv") == local
    with refused(r"mine.csv has SHA-256"):
        places.fetch_location("table", str(local), name="mine.csv", sha256=SHA256)
    with serve(csv=[CSV]) as server, serve(csv=[CSV + CSV]) as other:
        paths = [
            places.fetch_location("table", f"{place.url}/{PATH}", name="theirs.csv")
            for place in (server, other, server)
        ]
        theirs = DatasetEntry("theirs", "table", f"{server.url}/{PATH}")
        assert summarise_table(theirs).entry == replace(theirs, label="type", id_column="samples")
    assert paths[0] == paths[2] != paths[1]  # another URL is another file
    assert {path.parent for path in paths} == {tmp_path / "downloads" / "table"}
    assert [path.read_bytes() for path in paths] == [CSV, CSV + CSV, CSV]


SHAPED = DatasetEntry(
    "brain",
    "cumida",
    shape=Shape(samples=50, features=2, classes=2),
    location="Brain/GSE1",
    sha256=None,
)
#: What a server answers in place of the data, and why it is refused.
WRONG = {
    "checksum": (CSV.replace(b"1.5", b"9.5"), r"has SHA-256 \w+, but its data set has"),
    "a comment of HTML": (b"<!-- moved --><p>moved</p>", r"is a web page \(HTML\), not data"),
    "JSON": (b'{"error": "quota"}', r"is a server's answer \(JSON\), not data"),
    "HTML": (b"<!DOCTYPE html>\n<title>moved</title>", r"is a web page \(HTML\), not data"),
    "empty": (b"", "is empty"),
    "gzip": (gzip.compress(CSV, mtime=0)[:-20], "ended early .broken gzip"),
    "plain text": (b"Service moved, see elsewhere\n", "no label column"),
    "half a file": (CSV[: CSV.index(b"s25,")], "25 samples found, shape has 50"),
    "cut within its last number": (CSV[:-2], "does not end with a line break"),
    "cut within a line": (CSV[: CSV.index(b"s25,") + 8], "does not end with a line break"),
    "another table": (b"id,class,x\n1,a,2\n2,b,3\n", "no label column"),
}


def acquired(folder, *servers, dataset=SHAPED, **settings):
    urls = [server.url for server in servers]
    return acquire(dataset, downloads=folder, base_urls={"cumida": urls}, backoff=0.01, **settings)


@pytest.mark.parametrize("wrong", WRONG)
def test_an_answer_that_is_not_the_data_is_not_kept_and_the_next_place_is_asked(tmp_path, wrong):
    body, reason = WRONG[wrong]
    dataset = replace(SHAPED, sha256=SHA256 if wrong == "checksum" else None)
    with serve(csv=[body]) as server:
        with pytest.raises(UnavailableError, match=reason) as error:
            acquired(tmp_path, server, dataset=dataset)
        assert server.url in str(error.value)
        assert files(tmp_path) == []
        with serve(csv=[CSV]) as mirror:
            assert acquired(tmp_path, server, mirror, dataset=dataset).n_samples == 50
            assert len(mirror.requests) == 1
    assert files(tmp_path) == ["Brain_GSE1.csv"]
    assert (tmp_path / "cumida" / "Brain_GSE1.csv").read_bytes() == CSV


def test_accepted_checksums_are_locked_and_compared_elsewhere(tmp_path):
    lock = tmp_path / "results" / "brain.sha256"
    other = CSV.replace(b"1.5", b"9.5")
    with serve(csv=[CSV]) as server:
        acquired(tmp_path / "here", server, lock=lock)
        first = f"# Brain_GSE1.csv from {server.url}/{PATH}\n{SHA256}  Brain_GSE1.csv\n"
    assert lock.read_text() == first
    edited = put(tmp_path / "edited/cumida", other, "Brain_GSE1.csv")
    with refused("brain.sha256 has .*damaged or another", file=edited):
        acquired(tmp_path / "edited", lock=lock)
    with serve(csv=[other]) as server:
        with refused("brain.sha256 has .* take its line out of"):
            acquired(tmp_path / "there", server, lock=lock)
        with serve(gz=[gzip.compress(CSV)]) as mirror:  # the same, packed
            assert acquired(tmp_path / "there", server, mirror, lock=lock).n_samples == 50
            packed = f"# Brain_GSE1.csv from {mirror.url}/{PATH}.gz\n{SHA256}  Brain_GSE1.csv\n"
    assert lock.read_text() == packed


def origin_notes(folder, *servers):
    """Acquire the series from servers; return its notes, and the text of its checksums."""
    lock = folder / "checksums.sha256"
    urls = [server if isinstance(server, str) else server.url for server in servers]
    settings = {"timeout": 10.0, "retries": 0, "base_urls": {"cumida": urls}}
    row = DatasetEntry("brain", "cumida", "Brain/GSE1")
    _, findings = acquire_with_findings(row, downloads=folder, lock=lock, **settings)
    return [finding.detail for finding in findings], lock.read_text()


def test_notes_log_and_checksums_have_the_place_of_a_file_and_those_that_failed(tmp_path, caplog):
    """The next run, which uses the file, has its place from the checksums."""
    caplog.set_level("INFO", logger="xnbflow")
    with serve() as dead, serve(csv=[CSV]) as mirror:
        (*_, note), checksums = origin_notes(tmp_path, dead, mirror)
        place = f"{mirror.url}/{PATH}"
        assert note.startswith(f"Brain_GSE1.csv was downloaded from {place}; other places failed: ")
        assert f"{dead.url}/{PATH}" in note
        assert "404" in note
        assert f"data set brain: {note}" in caplog.messages
        assert checksums.startswith(f"# Brain_GSE1.csv from {place}\n")
        (*_, again), checksums = origin_notes(tmp_path, dead, mirror)
    assert again.endswith(f"downloaded earlier from {place}")
    assert checksums.startswith(f"# Brain_GSE1.csv from {place}\n")
    assert any("50 samples, 2 features, 2 classes" in message for message in caplog.messages)


def test_a_refused_file_is_a_place_that_failed(tmp_path):
    """A file that is not the data set is not kept, and its place is in the note."""
    with serve(csv=[b"samples,type,g1\n"]) as wrong, serve(csv=[CSV]) as mirror:
        (*_, note), _ = origin_notes(tmp_path, wrong, mirror)
        assert f"from {mirror.url}" in note
        assert f"other places failed: {wrong.url}/{PATH} has no rows" in note


def test_the_place_of_a_folder_s_file_is_not_in_the_checksums(tmp_path):
    """A path of one machine is of no use on another."""
    put(tmp_path / "mirror", CSV, "Brain_GSE1.csv")
    (*_, note), checksums = origin_notes(tmp_path / "here", str(tmp_path / "mirror"))
    assert note == "Brain_GSE1.csv was read from a folder of the configuration"
    assert checksums == f"{SHA256}  Brain_GSE1.csv\n"


def test_a_password_in_a_url_is_in_no_note(tmp_path):
    with serve(csv=[CSV]) as server:
        url = server.url.replace("//", "//someone:secret@")
        (*_, note), checksums = origin_notes(tmp_path, url)
    assert "secret" not in note + checksums
    assert f"from {server.url}" in note


def test_a_file_that_no_place_has_is_unavailable(tmp_path):
    with serve() as server, pytest.raises(UnavailableError, match=r"cannot get Brain_GSE1\.csv"):
        acquired(tmp_path, server)


def test_retries_wait_twice_as_long_each_time(tmp_path, monkeypatch):
    pauses = []
    monkeypatch.setattr("xnbflow.sources.places.http.time.sleep", pauses.append)
    with serve(csv=["truncated"]) as server, unavailable("ended early"):
        downloads(tmp_path, server.url, retries=4, backoff=0.5).fetch("cumida", PATH)
    assert pauses == [0.5, 1.0, 2.0, 4.0]


def test_what_acquisition_warns_of_goes_to_the_console_and_is_a_finding(tmp_path, capsys):
    (tmp_path / "flat.csv").write_text("label,g1,g2\na,1,5\nb,2,5\n")
    dataset = DatasetEntry("flat", "table", str(tmp_path / "flat.csv"), label="label")
    series, findings = acquire_with_findings(dataset)
    assert series.n_features == 2
    (note,) = (finding.detail for finding in findings)
    assert "1 of 2 features is constant (g2)" in note
    assert capsys.readouterr().err == f"Warning: data set flat: {note}\n"


def test_a_body_of_unknown_length_is_taken_with_its_checksum_only(tmp_path):
    answer = b"HTTP/1.0 200 OK\r\n\r\n" + CSV
    with raw_server(lambda connection: connection.sendall(answer)) as url:
        with unavailable("does not send the length"):
            downloads(tmp_path, url).fetch("cumida", PATH)
        path = downloads(tmp_path, url).fetch("cumida", PATH, sha256=SHA256)
    assert path.read_bytes() == CSV


@pytest.fixture
def unresolved_names(monkeypatch):
    """No name resolves; returns the names that were asked for."""
    asked = []

    def resolve(host, *_, **__):
        asked.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


def test_a_name_that_does_not_resolve_is_tried_once_for_all_data_sets(tmp_path, unresolved_names):
    """Neither retries nor other files of the host ask for it again, until a minute has passed."""
    hosts = tmp_path / "hosts.txt"

    def fetch(name):
        places = {"cumida": ["https://data.example/a", "https://data.example/b"]}
        downloads = Downloads(tmp_path, places, RetryPolicy(retries=4), unresolved=hosts)
        with pytest.raises(UnavailableError, match="does not resolve") as error:
            downloads.fetch("cumida", name)
        return str(error.value)

    message = fetch("first.csv")
    assert "https://data.example/a/first.csv: the name of the server does not resolve" in message
    fetch("second.csv")
    assert unresolved_names == ["data.example"]
    os.utime(hosts, (0, 0))
    fetch("third.csv")
    assert unresolved_names == ["data.example"] * 2
