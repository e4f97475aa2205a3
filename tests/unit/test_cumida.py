"""CuMiDa's CSV files: read as `float` reads, written so that they read back, refused in words."""

import gzip
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.cumida import read_cumida_csv, write_cumida_csv

HEADER = "samples,type,g1,g2,g3\n"
GOOD = HEADER + "GSM1,tumour,1.5,-2,3e-1\nGSM2,normal,4,5.25,6\n"


def put(folder, text, name="toy.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_is_the_good_series(series):
    np.testing.assert_array_equal(series.values, [[1.5, 4.0], [-2.0, 5.25], [0.3, 6.0]])
    assert list(series.features) == ["g1", "g2", "g3"]
    assert list(series.samples) == ["GSM1", "GSM2"]
    assert list(series.labels) == ["tumour", "normal"]
    assert set(series.kinds) == {"linear"}


VARIANTS = {
    "plain": GOOD,
    "CRLF": GOOD.replace("\n", "\r\n"),
    "BOM": "\ufeff" + GOOD,
    "blank end": GOOD + "\n\n",
    "blank line": GOOD.replace("\nGSM2", "\n\nGSM2"),
    "quoted names": GOOD.replace("GSM1,tumour", '"GSM1","tumour"').replace("g1,g2", '"g1","g2"'),
    "quoted number": GOOD.replace(",1.5,", ',"1.5",'),
    "spaces": GOOD.replace(",1.5,", ", 1.5 ,").replace("tumour", " tumour "),
    "plus sign": GOOD.replace(",4,", ",+4,"),
    "gzip": gzip.compress(GOOD.encode(), mtime=0),
}


@pytest.mark.parametrize("text", VARIANTS.values(), ids=VARIANTS.keys())
def test_harmless_variants_of_csv_give_the_same_series(tmp_path, text):
    assert_is_the_good_series(read_cumida_csv(put(tmp_path, text), "toy"))


def test_a_last_line_without_line_break_is_read_with_a_warning(tmp_path):
    path = put(tmp_path, GOOD.rstrip("\n"))
    with pytest.warns(UserWarning, match=r"toy.csv does not end with a line break"):
        assert_is_the_good_series(read_cumida_csv(path, "toy"))


@settings(max_examples=100, deadline=None)
@given(cell=st.text("0123456789.eE+-_xnaif ", max_size=8))
def test_any_text_is_either_the_number_of_float_or_refused(tmp_path_factory, cell):
    path = tmp_path_factory.mktemp("fuzz") / "f.csv"
    path.write_text(f"samples,type,g\na,x,{cell}\nb,y,1\n")
    try:
        number = math.inf if "_" in cell else float(cell)
    except ValueError:
        number = math.inf
    if math.isfinite(number):
        assert read_cumida_csv(path, "f").values[0, 0] == number
    else:
        with pytest.raises(InputError, match="line 2") as error:
            read_cumida_csv(path, "f")
        assert (error.value.file, error.value.key) == (str(path), "g")


def test_halfway_cases_round_to_even(tmp_path):
    # 2^53 + 1 lies halfway between two doubles; so does half the smallest, above 0
    tiny = ["5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324"]
    cells = ["9007199254740993", "9007199254740992.99999999999999999", *tiny]
    path = put(tmp_path, f"samples,type,a,b,c,d,e\ns,x,{','.join(cells)}\nt,y,1,1,1,1,1\n")
    assert read_cumida_csv(path, "n").values[:, 0].tolist() == [float(cell) for cell in cells]


def test_a_file_reads_back_bit_for_bit(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((100, 37)) * 10.0 ** rng.integers(-9, 9, (100, 37))
    series = DataSet(
        "x",
        values,
        [f"g{i}" for i in range(99)] + ['<b>"odd", name</b>'],
        [f"s{i}" for i in range(37)],
        ["one, two" if i % 2 else "three" for i in range(37)],
    )
    write_cumida_csv(series, tmp_path / "x.csv")
    again = read_cumida_csv(tmp_path / "x.csv", "x")
    np.testing.assert_array_equal(again.values, values)
    for key in ("features", "samples", "labels"):
        np.testing.assert_array_equal(getattr(again, key), getattr(series, key))
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.parametrize("names", ["NM_1,NM_2,NM_1,NM_1,NM_1.1", "a,a.1,a,b,a.1", "a,a,b,a,b"])
def test_repeated_feature_names_get_suffixes_as_pandas_gives_them(tmp_path, names):
    # GSE26304 has several probes per RefSeq accession
    path = put(tmp_path, f"samples,type,{names}\na,x,1,2,3,4,5\nb,y,1,2,3,4,5\n")
    with pytest.warns(UserWarning, match="feature names? occurs? more than once"):
        series = read_cumida_csv(path, "toy")
    assert list(series.features) == list(pd.read_csv(path).columns[2:])
    assert series.values[:, 0].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (GOOD.replace("5.25", "high"), "g2"),
        (GOOD.replace("5.25", "1_0"), "g2"),
        (GOOD.replace("5.25", '"5,25"'), "g2"),
        (GOOD.replace("5.25", "NaN"), "g2"),
        (GOOD.replace("5.25", ""), "g2"),
        (GOOD.replace(",6\n", ",\n"), "g3"),
        (GOOD.replace("5.25", "-inf"), "g2"),
        (GOOD.replace("5.25", "1e999"), "g2"),
        (GOOD.replace(",5.25", ""), "line 3"),
        (GOOD.replace("5.25", "5,25"), "line 3"),
        (GOOD[:-4], "line 3"),
        (GOOD.replace("GSM2", "GSM1"), "samples"),
        (GOOD.replace("GSM2", ""), "samples"),
        (GOOD.replace("normal", " "), "type"),
        *((GOOD.replace("normal", word), "type") for word in ("NA", "null", "?")),
        (GOOD.replace("type,", ""), "line 1"),
        (GOOD.replace(",", ";"), "line 1"),
        (GOOD.replace("g2", ""), "line 1"),
        ("samples,type\na,x\n", "line 1"),
        (HEADER, None),
        ("", None),
        (b"\n \n", None),
        ("\n<!DOCTYPE html><html><body>moved</body></html>", None),
        (b"PK\x03\x04rest", None),
        (GOOD.encode().replace(b"GSM2", b"GSM\xe9"), "line 3"),
        (GOOD.replace("GSM2", '"GSM2'), "line 3"),
        (gzip.compress(GOOD.encode() * 9, mtime=0)[:-9], None),
        (b"\x1f\x8b" + GOOD.encode(), None),
        (HEADER + "a,x,1,2,3,4\nb,y,5,6\n", "line 2"),  # as many cells as two lines have
        (GOOD.replace("normal", "nor\0mal"), "label"),
    ],
)
def test_bad_input_is_refused_with_file_and_line_or_column(tmp_path, text, key):
    path = put(tmp_path, text)
    with pytest.raises(InputError) as error:
        read_cumida_csv(path, "toy")
    assert (error.value.file, error.value.key) == (str(path), key)


def test_real_microarrays_are_read_as_pandas_reads_them(shared_data):
    path = shared_data / "microarray" / "SRBCT_Khan2001.csv.gz"
    series = read_cumida_csv(path, "khan")
    frame = pd.read_csv(path, dtype={"samples": str})
    np.testing.assert_array_equal(series.values.T, frame.iloc[:, 2:].to_numpy())
    np.testing.assert_array_equal(series.labels, frame["type"])
    np.testing.assert_array_equal(series.samples, frame["samples"])
