"""Arrays by the names of their probes: those of real tables, and filtered ones."""

import csv
import gzip
import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from toys import dataset, put

from xnbflow.sources import platforms
from xnbflow.sources.acquire import acquire_with_findings
from xnbflow.sources.annotation import propose_annotation
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.platforms import are_probes, probes_note, recognise_platform

LIST = Path(platforms.__file__).with_suffix(".toml")
#: A filtered table of HG-U133A.
PROBES = ["1007_s_at", *(f"{number}_at" for number in range(200_001, 200_200))]


def accession_of(features):
    platform = recognise_platform(features)
    return platform and platform.accession


@pytest.mark.parametrize(
    ("table", "accession"),
    [
        ("microarray/BreastColon_Chowdary2006", "GPL96"),
        ("microarray/Heart_GSE1145", "GPL570"),
        ("microarray/Ovary_GSE38666", "GPL570"),
        ("microarray/Pancreas_GSE22780", "GPL570"),
        ("microarray/Leukemia_Golub1999", "GPL80"),
        ("geo/GSE24739_G0", "GPL570"),  # without its control probes
        ("geo/GSE6956C", "GPL571"),
        # names that are not those of probes
        ("microarray/Prostate_Singh2002", None),
        ("microarray/Breast_Sorlie2001", None),
        ("microarray/Colorectal_Alon1999", None),
    ],
)
def test_the_arrays_of_real_tables_are_recognised(shared_data, table, accession):
    with gzip.open(shared_data / f"{table}.csv.gz", "rt") as file:
        features = next(csv.reader(file))[2:]
    assert accession_of(features) == accession
    # a third of the probes, as after a filter; the probes of GPL571 are also on GPL96
    third = features[::3]
    assert accession_of(third) == ("GPL96" if accession == "GPL571" else accession)


def test_the_probes_of_an_annotation_of_geo_are_recognised(shared_data):
    with gzip.open(shared_data / "geo" / "GPL97.annot.gz", "rt") as file:
        lines = file.read().splitlines()
    begin = lines.index("!platform_table_begin")
    probes = [line.partition("\t")[0] for line in lines[begin + 2 : -1]]
    assert (len(probes), accession_of(probes)) == (22_645, "GPL97")


@pytest.mark.parametrize("accession", tomllib.loads(LIST.read_text()))
def test_an_entry_of_the_list_agrees_with_itself(accession):
    entry = tomllib.loads(LIST.read_text())[accession]
    assert set(entry) == {"name", "probes", "form", "characteristic", "megabytes", "source"}
    names = [name for name in entry["characteristic"] if re.fullmatch(r"[\w.-]+", name)]
    assert all(re.fullmatch(entry["form"], name) for name in names)


@pytest.mark.parametrize(
    ("name", "accession"),
    [
        ("ILMN_1651{:03d}", "GPL6947"),
        ("ILMN_3240{:03d}", "GPL10558"),  # only version 4 has such numbers
        ("ILMN_1212{:03d}", "GPL6887"),
        ("A_32_P{:04d}", "GPL6480"),
        ("A_33_P{:04d}", "GPL13497"),
        ("A_21_P{:04d}", "GPL17077"),
        ("TC01000{:03d}.hg.1", "GPL17586"),
        ("7896{:03d}", "GPL6244"),
        ("10344{:03d}", "GPL6246"),
        ("1415{:03d}_at", "GPL1261"),
        ("1367{:03d}_at", "GPL1355"),
        ("92{:03d}_at", "GPL81"),
        ("1{:03d}_at", "GPL91"),
        ("GENE{:03d}", None),
        ("{:03d}", None),
    ],
)
def test_filtered_tables_are_recognised_by_the_form_of_their_names(name, accession):
    assert accession_of([name.format(number) for number in range(1000)]) == accession


def test_a_whole_array_is_chosen_by_its_number_of_probes():
    """Two Illumina arrays have names in common; 48,701 is the number of the older one."""
    names = [f"ILMN_1{number:06d}" for number in range(651_000, 651_000 + 48_702)]
    assert accession_of(names) == "GPL6102"
    assert accession_of(names[: len(names) // 2 + 170]) == "GPL6883"  # 24,521 of 24,526
    assert accession_of(names[: len(names) // 2 + 1000]) == "GPL6947"  # filtered: the largest


def test_limits_of_recognition():
    assert accession_of(PROBES[:100]) == "GPL96"
    assert accession_of(PROBES[:99]) is None
    assert accession_of(PROBES[1:]) == "GPL96"  # 200001_at is characteristic, too
    assert accession_of(PROBES[4:]) is None  # none of the characteristic probes
    # one of 20 names has another form, as 1007_s_at has
    assert accession_of([*PROBES[:191], *(f"gene{i}" for i in range(9))]) == "GPL96"
    assert accession_of([*PROBES[:190], *(f"gene{i}" for i in range(10))]) is None
    # more features than the array has probes
    many = [f"{number}_at" for number in range(200_001, 222_999)]
    assert accession_of(many[: 22_283 + 222]) == "GPL96"
    assert accession_of(many[: 22_283 + 223]) is None


def test_controls_of_affymetrix_do_not_count():
    assert accession_of([*PROBES, *(f"AFFX-{i}" for i in range(60))]) == "GPL96"


@pytest.mark.parametrize(
    ("features", "platform", "advice"),
    [
        (PROBES, "", r"add annotation: GPL96 .*\(a download of .* 2 MB\)"),
        ([f"x{i}_at" for i in range(100)], "", r"add annotation: GPL\.\.\. to the data set"),
        (range(100), "GPL4133", "add annotation: GPL4133 to the data set"),
        (range(100), "", None),
        ([f"GENE{i}" for i in range(100)], "GPL4133", None),
    ],
)
def test_probes_without_symbols_have_a_note_with_what_adds_them(features, platform, advice):
    note = probes_note(list(map(str, features)), platform)
    assert (note is None) == (advice is None)
    if note is not None:
        assert re.match(advice, note.advice)
        assert note.code == "without symbols"


def test_names_of_probes_are_those_of_most_features():
    assert are_probes([*["1_at"] * 95, *["TP53"] * 5])
    assert not are_probes([*["1_at"] * 94, *["TP53"] * 6])
    assert not are_probes(["1_at"] * 99)


def proposal(downloads, options=None, **fields):
    row = DatasetEntry("x", "table", "x.csv", **(options or {}))
    series = dataset(np.zeros((200, 4)), list("aabb"), features=PROBES, **fields)
    return propose_annotation(row, series, downloads)


def test_an_annotation_is_proposed_with_the_size_of_its_download(tmp_path):
    place = tmp_path / "geo/platforms/GPLnnn/GPL96/annot"
    put(place, "ID\tGene symbol\n", "GPL96.annot.gz")
    downloads = Downloads(tmp_path / "downloads", {"geo": [str(tmp_path / "geo")]})
    row, sentences = proposal(downloads)
    assert row.annotation == "GPL96"
    assert "HG-U133A. The proposal is annotation: GPL96" in sentences[0]
    assert "about 2 MB" in sentences[0]
    # a user's option, and symbols of the file, are kept
    assert proposal(downloads, {"annotation": "none"})[1] == []
    symbols = pd.DataFrame({"symbol": ["A"] * 200})
    assert proposal(downloads, feature_metadata=symbols)[1] == []


def test_without_a_network_the_row_stays_and_the_line_is_named(tmp_path):
    row, sentences = proposal(Downloads(tmp_path, {"geo": [str(tmp_path)]}))
    assert not row.annotation
    assert sentences[0].startswith("WITHOUT GENE SYMBOLS")
    assert "add annotation: GPL96 where GEO can be reached" in sentences[0]


@pytest.mark.filterwarnings("ignore:data set")
@pytest.mark.parametrize("options", [{}, {"annotation": "none"}, {"annotation": "genes.csv"}])
def test_a_series_of_probes_has_the_note_unless_its_row_names_an_annotation(tmp_path, options):
    rows = [",".join(["sample", "type", *PROBES])]
    for number in range(6):
        values = ",".join(str(8 + (number * place) % 7) for place in range(len(PROBES)))
        rows.append(f"s{number},{'ab'[number % 2]},{values}")
    table = put(tmp_path, "\n".join(rows) + "\n")
    if "genes.csv" in options.values():
        options = {"annotation": str(put(tmp_path, "probe,symbol\n1007_s_at,DDR1\n", "genes.csv"))}
    row = DatasetEntry("x", "table", str(table), label="type", id_column="sample", **options)
    _, findings = acquire_with_findings(row, downloads=tmp_path / "downloads")
    is_noted = any("without gene symbols" in finding.detail for finding in findings)
    assert is_noted == (not options)
