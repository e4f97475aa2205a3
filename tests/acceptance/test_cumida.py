"""Real microarrays in CuMiDa's layout, from a local server through the whole workflow."""

import functools
import gzip
import hashlib
import http.server

import pandas as pd
import pytest
from integration.conftest import prepare, snakemake
from serving import serving

SETS = {"Khan2001": "SRBCT", "Alon1999": "Colorectal"}


@pytest.fixture(scope="module")
def mirror(shared_data, tmp_path_factory):
    """A folder in CuMiDa's layout."""
    folder = tmp_path_factory.mktemp("mirror")
    for name, kind in SETS.items():
        path = folder / kind / name / f"{kind}_{name}.csv"
        path.parent.mkdir(parents=True)
        packed = shared_data / "microarray" / f"{kind}_{name}.csv.gz"
        path.write_bytes(gzip.decompress(packed.read_bytes()))
    return folder


@pytest.fixture
def server(mirror):
    """The URL of a server whose first answer for each file is truncated."""
    seen = set()

    class Truncating(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def copyfile(self, source, outputfile):
            if self.path in seen:
                super().copyfile(source, outputfile)
            else:
                seen.add(self.path)
                outputfile.write(source.read(1000))
                self.close_connection = True

    with serving(functools.partial(Truncating, directory=mirror)) as server:
        yield server.url


def sheet(checksums):
    rows = [
        {"id": f"my-{name}", "source": "cumida", "location": f"{kind}/{name}"}
        | {"sha256": checksums.get(name, "")}
        for name, kind in SETS.items()
    ]
    return pd.DataFrame(rows).to_csv(sep="\t", index=False)


def study(url):
    return {
        "run": ["real"],
        "sheets": ["config/datasets.tsv", "tiny.tsv"],
        "download": {"base_urls": {"cumida": [url]}, "retries": 2, "timeout": 20},
        "folds": {"5-fold": {"splits": 5}},
        "studies": {
            "real": {
                "title": "Two real microarrays",
                "datasets": [f"my-{name}" for name in SETS],
                "classifiers": ["nb", "xnb"],
                "folds": ["5-fold"],
            }
        },
    }


def test_a_truncated_download_is_tried_again_and_the_study_ends(server, mirror, tmp_path):
    folder = prepare(tmp_path / "work", study(server))
    (folder / "tiny.tsv").write_text(sheet({}))
    snakemake(folder)
    summary = pd.read_parquet(folder / "results/studies/real/summary.parquet")
    accuracy = summary.query("metric == 'accuracy'").set_index(["dataset", "classifier"])["mean"]
    assert accuracy["my-Khan2001", "xnb"] > 0.9
    path = mirror / "SRBCT/Khan2001/SRBCT_Khan2001.csv"
    recorded = list((folder / "resources/downloads").rglob("SRBCT_Khan2001.csv.sha256"))
    assert recorded[0].read_text().startswith(hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_wrong_checksum_stops_and_leaves_nothing(server, tmp_path):
    folder = prepare(tmp_path / "work", study(server))
    (folder / "tiny.tsv").write_text(sheet({"Khan2001": "0" * 64}))
    written = snakemake(folder, "resources/series/my-Khan2001.parquet", fails=True)
    assert "checksum" in written.lower() or "sha256" in written.lower()
    assert not list((folder / "resources").rglob("*.parquet"))
    assert not list((folder / "resources").rglob("*.part"))
