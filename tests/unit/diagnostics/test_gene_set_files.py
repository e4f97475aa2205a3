"""Public files of gene sets: downloaded once, checked, and refused where they have changed."""

import gzip
import hashlib

import pytest
from serving import serving
from toys import put, refused

from xnbflow.diagnostics.gene_set_files import fetch_gene_sets, read_gene_sets
from xnbflow.sources.places.pinned import pinned_url

SETS = b"HALLMARK_HYPOXIA\tabout\tVEGFA\tCA9\tPGK1\n"
SHA256 = hashlib.sha256(SETS).hexdigest()
QUICK = {"base_urls": {}, "retries": 0, "timeout": 5.0}


def test_a_public_file_is_downloaded_once(tmp_path):
    with serving("msigdb", {"h.all.gmt": [SETS]}) as server:
        location = f"{server.url}/h.all.gmt#sha256={SHA256}"
        (file,) = fetch_gene_sets([location], QUICK, tmp_path)
        assert file.path.read_bytes() == SETS
        assert file.path.parent == tmp_path / "gene_sets"
        assert file.place == f"{server.url}/h.all.gmt"
        assert fetch_gene_sets([location], QUICK, tmp_path) == [file]
        assert server.requests == ["/msigdb/h.all.gmt"]
    assert fetch_gene_sets([location], QUICK, tmp_path) == [file]  # without the server


def test_a_file_that_has_changed_is_refused_and_not_kept(tmp_path):
    with serving("msigdb", {"h.all.gmt": [SETS + b"OTHER\t-\tTP53\n"]}) as server:
        location = f"{server.url}/h.all.gmt#sha256={SHA256}"
        with refused(f"gene_sets of the configuration has {SHA256}"):
            fetch_gene_sets([location], QUICK, tmp_path)
    assert list(tmp_path.rglob("*.gmt*")) == []


def test_the_checksum_may_be_that_of_a_gzipped_file_or_of_its_contents(tmp_path):
    packed = gzip.compress(SETS, mtime=0)
    for number, data in enumerate((SETS, packed)):
        checksum = hashlib.sha256(data).hexdigest().upper()
        with serving("msigdb", {"h.all.gmt.gz": [packed]}) as server:
            location = f"{server.url}/h.all.gmt.gz#sha256={checksum}"
            (file,) = fetch_gene_sets([location], QUICK, tmp_path / str(number))
        assert file.path.read_bytes() == packed


def test_without_a_network_the_error_names_where_to_put_the_file(tmp_path):
    with serving("msigdb", {}) as server:
        location = f"{server.url}/h.all.gmt#sha256={SHA256}"
        with refused(r"put the file .* by hand at .*gene_sets/h-[0-9a-f]{8}\.all\.gmt"):
            fetch_gene_sets([location], QUICK, tmp_path)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("https://host/h.gmt", "has no checksum"),
        ("https://host/h.gmt#sha256=123", "has no checksum"),
        (f"https://host/h.gmt#md5={SHA256}", "has no checksum"),
        (f"https:///h.gmt#sha256={SHA256}", "the URL has no host"),
    ],
)
def test_a_url_without_a_checksum_is_refused_with_the_line_to_write(location, message):
    with refused(message):
        pinned_url(location)
    if message == "has no checksum":
        with refused("write https://host/h.gmt#sha256= followed by the 64 digits"):
            pinned_url(location)


@pytest.mark.parametrize("path", ["sets.gmt", "folder/a#b.gmt", "C:/sets.gmt"])
def test_a_path_is_no_public_file(tmp_path, path):
    assert pinned_url(path) is None
    put(tmp_path, SETS, "sets.gmt")
    with refused("is no URL", key="gene_sets"):
        fetch_gene_sets([str(tmp_path / "sets.gmt")], QUICK, tmp_path)


def test_a_set_is_a_line_and_a_name_belongs_to_one_set_of_all_files(tmp_path):
    files = [put(tmp_path, f"A\t-\tg1\n{name}\t-\tg2\tg3\n", f"{name}.gmt") for name in "BA"]
    assert read_gene_sets(files[0]) == {"A": {"g1"}, "B": {"g2", "g3"}}
    with refused(file=files[1], match="name of an earlier set"):
        read_gene_sets(*files)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"A\t-\tg1\nB\xfc\t-\tg2\n", "line 2: not UTF-8 text"),
        (b"A\t-\tg1\nB\x1b[2J\t-\tg2\n", "line 2: .* control characters"),
        (b"A\t-\tg1\nB\xe2\x80\xae\t-\tg2\n", "line 2: .* control characters"),
        (b"A\t-\tg1\n" + b"B" * 300 + b"\t-\n", r"line 2: 'BB.*\.\.\..* has no genes"),
        (b"<!DOCTYPE html>\n", "is a web page"),
        (b"A\t-\tg1\0\n", "NUL byte"),
        (b"", "is empty"),
    ],
)
def test_gene_sets_that_are_no_text_or_hide_their_names_are_refused(tmp_path, content, message):
    path = put(tmp_path, content, "sets.gmt")
    with refused(message, file=path):
        read_gene_sets(path)
