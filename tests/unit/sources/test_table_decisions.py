"""Rules of reading at the value where they decide, in tables that are written by hand."""

import numpy as np
import pytest
from toys import put, refused

from xnbflow.sources.delimited import sniff
from xnbflow.sources.header_rows import find_header
from xnbflow.sources.merging import merge_rows
from xnbflow.sources.phenotype import matched_names, naming_column, read_phenotype
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.table import read_table

COMMA = "site,a,b\nx,1,2\ny,3,4\n"


def row(**options):
    return SheetRow("toy", "table", label="site", options=options)


def read(tmp_path, text, name="t.csv", **options):
    return read_table(put(tmp_path, text, name), row(**options))


def test_a_separator_of_the_sheet_is_never_replaced():
    lines = ["a;b,c;d\n", "1;2,3;4\n"]
    assert sniff("t", lines, ";", None, certain=True)[0] == ";"
    uneven = ["a|b,c\n", "1,2\n"]
    assert sniff("t", uneven, "|", None, certain=False)[0] == ","
    assert sniff("t", uneven, "|", None, certain=True)[0] == "|"


def test_two_possible_separators_do_not_decide():
    lines = ["a;b\tc\n", "1;2\t3\n"]
    with refused("its header is the single cell", key="separator"):
        sniff("t", lines, ",", None, certain=False)


@pytest.mark.parametrize(
    ("rows", "decimal"),
    [(["a;b\n", "1,5;2\n"], ","), (["a;b\n", "1,5;2.5\n"], "."), (["a;b\n", "1;2\n"], ".")],
)
def test_a_comma_is_the_decimal_sign_only_without_points(rows, decimal):
    assert sniff("t", rows, ";", None, certain=False) == (";", decimal)
    assert sniff("t", rows, ";", ".", certain=False) == (";", ".")


def test_probes_are_merged_by_the_median_the_mean_or_the_largest_mean():
    values = np.array([[1.0, 9.0], [2.0, 2.0], [9.0, 4.0]])
    names = ["g", "g", "g"]
    assert merge_rows(values, names, "median")[0].tolist() == [[2.0, 4.0]]
    assert merge_rows(values, names, "mean")[0].tolist() == [[4.0, 5.0]]
    merged, _, rows = merge_rows(values, names, "max_mean")
    assert (merged.tolist(), rows.tolist()) == ([[9.0, 4.0]], [2])


def test_the_names_of_samples_are_in_the_column_that_the_sheet_names(tmp_path):
    path = put(tmp_path, "site,name,id\nx,s1,7\ny,s2,8\n", "p.csv")
    sheet = SheetRow("toy", "table", label="site", id_column="name")
    assert read_phenotype(path, sheet).index.tolist() == ["s1", "s2"]
    assert read_phenotype(path, row()).index.tolist() == ["x", "y"]
    assert read_phenotype(path, row(phenotype_id="id")).index.tolist() == ["7", "8"]
    by_option = SheetRow("toy", "table", label="site", id_column="name")
    by_option = by_option.__class__(**{**vars(by_option), "options": {"phenotype_id": "id"}})
    assert read_phenotype(path, by_option).index.tolist() == ["7", "8"]


def test_the_column_with_the_samples_is_found_if_it_is_not_the_first(tmp_path):
    path = put(tmp_path, "site,name\nx,s1\ny,s2\n", "p.csv")
    assert naming_column(path, row(), ["s1", "s2"]) == "name"
    assert naming_column(path, row(), ["x"]) == ""
    assert naming_column(path, row(), ["other"]) == ""


def test_names_match_only_if_all_of_one_file_do():
    assert matched_names(["/a/s1.bam", "/a/s2.bam"], ["s1", "s2", "s3"]) == ["s1", "s2"]
    assert matched_names(["/a/s1.bam", "/a/s4.bam"], ["s1", "s2"]) is None
    assert matched_names(["/a/s1.bam", "/b/s1.bam"], ["s1", "s2"]) is None
    assert matched_names(["s1", "/a/s2.bam"], ["s1", "s2"]) is None


def test_fifty_columns_of_text_become_the_phenotype_and_more_do_not(tmp_path):
    for n, kept in ((50, 50), (51, 0)):
        header = ",".join(["site", "gene_a", *(f"text{i}" for i in range(n))])
        line = ",".join(["1.5", *["t"] * n])
        series = read(tmp_path, f"{header}\nx,{line}\ny,{line}\n", features="gene_*")
        columns = series.sample_metadata
        assert (0 if columns is None else len(columns.columns)) == kept
        assert series.features.tolist() == ["gene_a"]


def test_angles_have_the_period_of_their_unit(tmp_path):
    series = read(tmp_path, COMMA, angular="a:degrees,b:8")
    np.testing.assert_allclose(
        series.values, np.array([[1 / 360, 3 / 360], [2 / 8, 4 / 8]]) * 2 * np.pi
    )
    for unit in ("0", "-1", "inf", "days"):
        with refused("write name:degrees", key="angular"):
            read(tmp_path, COMMA, angular=f"a:{unit}")


def test_an_option_that_matches_no_column_is_refused(tmp_path):
    for option in ("drop", "features", "categorical"):
        with refused(f"the sheet's option {option} has 'c\\*', but no name matches", key=option):
            read(tmp_path, COMMA, **{option: "c*"})


@pytest.mark.parametrize(
    ("missing", "rule", "features"),
    [("", "drop_features:0.5", ["a", "b"]), ("", "drop_features:0.4", ["b"]),
     ("", "drop_features", ["b"]), ("", "impute", ["a", "b"])],
)  # fmt: skip
def test_features_are_dropped_above_their_share_of_missing_values(
    tmp_path, missing, rule, features
):
    text = f"site,a,b\nx,{missing},2\ny,3,4\n"
    assert read(tmp_path, text, missing=rule).features.tolist() == features


def test_a_title_is_above_a_header_with_twice_as_many_cells():
    values = ["TP53", "1", "2", "3"]
    assert find_header([["A title", ""], ["gene", "s1", "s2", "s3"], values]).header == 1
    assert find_header([["a", "b", "c"], ["gene", "s1", "s2", "s3"], values]).header == 0


def test_conditions_repeat_over_at_least_four_samples():
    header = ["gene", "s1", "s2", "s3", "s4"]
    values = ["TP53", "1", "2", "3", "4"]
    assert find_header([header, ["", "t", "t", "n", "n"], values]).conditions == 1
    assert find_header([["", "t", "", "n", ""], header, values]).conditions == 0
    assert find_header([header[:4], ["", "t", "t", "n"], values[:4]]).conditions is None
    assert find_header([header, ["", "t", "t", "t", "t"], values]).conditions is None


def test_control_probes_are_dropped_and_features_keep_their_places(tmp_path):
    text = "site,AFFX-1,g1\nx,1,\ny,3,4\n"
    with refused("the first in column 3 \\('g1'\\), line 2"):
        read(tmp_path, text)
    complete = text.replace("1,\n", "1,2\n")
    assert read(tmp_path, complete).features.tolist() == ["g1"]
    assert read(tmp_path, complete, controls="keep").features.tolist() == ["AFFX-1", "g1"]
