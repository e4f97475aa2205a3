"""CuMiDa's CSV files: read as `float` reads, written so that they read back, refused in words."""

import gzip

import numpy as np
import pandas as pd
import pytest
from mistakes import mistakes
from toys import dataset

from xnbflow.data.errors import InputError
from xnbflow.data.sources.cumida import read_cumida_csv, write_cumida_csv

HEADER = "samples,type,g1,g2,g3\n"
GOOD = HEADER + "GSM1,tumour,1.5,-2,3e-1\nGSM2,normal,4,5.25,6\n"


def put(folder, text, name="toy.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_file_reads_back_bit_for_bit(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((100, 37)) * 10.0 ** rng.integers(-9, 9, (100, 37))
    names = [f"g{i}" for i in range(99)] + ['<b>"odd", name</b>']
    labels = ["one, two" if i % 2 else "three" for i in range(37)]
    series = dataset(values, labels, features=names)
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
        *((GOOD.replace(old, new), said) for old, new, said in mistakes("cumida")),
        *((GOOD.replace("normal", word), "type") for word in ("NA", "null", "?")),
        ("samples,type\na,x\n", "line 1"),
        (HEADER, None),
        (gzip.compress(GOOD.encode() * 9, mtime=0)[:-9], None),
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
