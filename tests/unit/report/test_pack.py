"""A packed study: its pages and every file that they link to."""

from zipfile import ZipFile

import pytest
from toys import put

from xnbflow.core.errors import InputError
from xnbflow.report.pack import pack_study

REPORT = "results/studies/s/report.html"


def test_a_packed_study_has_both_pages_and_the_files_that_they_link_to(tmp_path):
    links = '<a href="details.html#x"></a><a href="models/d"></a><a href="https://a.org/b"></a>'
    put(tmp_path, f'{links}<a href="#top"></a><img src="data:,"><a href="a%20b.tsv"></a>', REPORT)
    put(tmp_path, '<a href="../../d/genes.tsv"></a>', "results/studies/s/details.html")
    put(tmp_path, "1", "results/studies/s/models/d/csnb.gmt")
    put(tmp_path, "2", "results/studies/s/models/d/deep/more.gmt")
    put(tmp_path, "3", "results/studies/s/a b.tsv")
    put(tmp_path, "4", "results/d/genes.tsv")
    put(tmp_path, "5", "results/studies/s/other.tsv")  # no page links to it
    files = pack_study("s", tmp_path / "s.zip", tmp_path)
    assert files == [
        "index.html",
        "results/d/genes.tsv",
        "results/studies/s/a b.tsv",
        "results/studies/s/details.html",
        "results/studies/s/models/d/csnb.gmt",
        "results/studies/s/models/d/deep/more.gmt",
        REPORT,
    ]
    with ZipFile(tmp_path / "s.zip") as packed:
        assert packed.namelist() == [f"s/{file}" for file in files]
        assert f'href="{REPORT}"' in packed.read("s/index.html").decode()


def test_a_link_out_of_the_folder_or_to_nothing_is_refused(tmp_path):
    root = tmp_path / "work"
    put(tmp_path, "secret", "outside.txt")
    put(root, '<a href="../../../../outside.txt"></a>', REPORT)
    with pytest.raises(InputError, match="which is outside"):
        pack_study("s", tmp_path / "s.zip", root)
    put(root, '<a href="absent.tsv"></a>', REPORT)
    with pytest.raises(InputError, match="which does not exist; run the study again"):
        pack_study("s", tmp_path / "s.zip", root)
    with pytest.raises(InputError, match="xnbflow run other"):
        pack_study("other", tmp_path / "s.zip", root)
    assert not (tmp_path / "s.zip").exists()
