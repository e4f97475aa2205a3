"""The studies of GEO, whole, from accessions served in NCBI's layout on 127.0.0.1."""

import gzip
import re

import pandas as pd
import pytest
import yaml
from integration.conftest import snakemake
from ncbi import ncbi

pytestmark = pytest.mark.slow

MATRIX = "series/GSE4nnn/GSE4107/matrix/GSE4107_series_matrix.txt.gz"
GDS = "datasets/GDSnnn/GDS507/soft/GDS507.soft.gz"
GPL97 = "platforms/GPLnnn/GPL97/annot/GPL97.annot.gz"
GPL570 = "platforms/GPLnnn/GPL570/annot/GPL570.annot.gz"


def synthetic_annotation(matrix):
    """Name genes SYN0, SYN1, ... for every second probe of a series: NCBI's file is not at hand."""
    table = matrix.split("!series_matrix_table_begin\n")[1].splitlines()[1:-1]
    probes = [line.split("\t")[0].strip('"') for line in table]
    rows = [
        f"{probe}\t{'--Control' if probe.startswith('AFFX') else f'SYN{i // 2 * 2}'}\t{10_000 + i}"
        for i, probe in enumerate(probes)
    ]
    head = ["^Annotation", "!Annotation_platform = GPL570", "!platform_table_begin"]
    return "\n".join([*head, "ID\tGene symbol\tGene ID", *rows, "!platform_table_end", ""])


def run(folder, study, files):
    """Run a study of the project's own configuration, as it is but for NCBI's address."""
    with ncbi(files=files) as server:
        place = {"download": {"base_urls": {"geo": [server.url]}, "retries": 0, "timeout": 20}}
        (folder / "tiny.yaml").write_text(yaml.safe_dump(place))
        snakemake(folder, study)
    results = folder / "results/studies" / study
    return results, server.requests


def test_colorectal_runs_whole_and_its_page_names_genes(shared_data, tmp_path):
    packed = (shared_data / "geo/GSE4107_series_matrix.txt.gz").read_bytes()
    annotation = synthetic_annotation(gzip.decompress(packed).decode())
    files = {MATRIX: packed, GPL570: gzip.compress(annotation.encode())}
    results, requests = run(tmp_path, "colorectal", files)
    assert sorted(requests) == sorted([MATRIX, GPL570])
    averages = pd.read_parquet(results / "averages.parquet")
    assert set(averages["classifier"]) == {"nb", "fnb", "xnb"}
    page = (results / "report.html").read_text()
    assert re.search(r"SYN\d+", page)
    assert "logarithms to base 2 were taken of all values" in page


def test_renal_runs_whole_with_the_symbols_of_its_platform(shared_data, tmp_path):
    names = {GDS: "GDS507.soft.gz", GPL97: "GPL97.annot.gz"}
    files = {path: (shared_data / "geo" / name).read_bytes() for path, name in names.items()}
    results, requests = run(tmp_path, "renal", files)
    assert sorted(requests) == sorted(files)
    page = (results / "report.html").read_text()
    assert "17 samples of 10" in page
    assert "have a symbol in the annotation" in page
