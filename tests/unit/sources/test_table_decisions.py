"""Rules of reading at the value where they decide, in tables that are written by hand."""

import io
import math

import numpy as np
import pytest
from toys import put, refused

from xnbflow.sources.dataset_entry import DatasetEntry, NamePattern, read_entry
from xnbflow.sources.formats import text_table
from xnbflow.sources.formats.header_rows import HEAD_ROWS, find_header
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.formats.text_lines import read_first_lines
from xnbflow.sources.series.name_matching import matched_names
from xnbflow.sources.series.phenotype import naming_column, phenotype_columns, read_phenotype_file
from xnbflow.sources.table import read_table

COMMA = "site,a,b\nx,1,2\ny,3,4\n"


def row(**options):
    return DatasetEntry("toy", "table", label="site", **options)


def read(tmp_path, text, name="t.csv", **options):
    return read_table(put(tmp_path, text, name), row(**options))


def read_lines(lines, separator, **settings):
    return read_text("t", io.BytesIO(lines.encode()), separator=separator, **settings)


def test_a_separator_of_the_sheet_is_never_replaced():
    assert read_lines("a;b,c;d\n1;2,3;4\n", ";").separator == ";"
    uneven = "a|b,c\n1,2\n"
    assert read_lines(uneven, "|", is_separator_set=False).separator == ","
    with refused("line 2: 1 cell, but the header has 2"):
        read_lines(uneven, "|")


def test_two_possible_separators_do_not_decide():
    with refused("its header is the single cell", key="separator"):
        read_lines("a;b\tc\n1;2\t3\n", ",", is_separator_set=False)


@pytest.mark.parametrize(
    ("row", "decimal"),
    [("1,5;2", ","), ("1,5;2.5", "."), ("1;2", ".")],
)
def test_a_comma_is_the_decimal_sign_only_without_points(row, decimal):
    lines = f"a;b\n{row}\n"
    assert read_lines(lines, ";", is_separator_set=False).decimal == decimal
    assert read_lines(lines, ";", decimal=".").decimal == "."


@pytest.mark.parametrize("n_lines", [200, 2000])
def test_each_line_below_an_open_quote_is_counted_once(n_lines):
    """A quote that is never closed took a time that grew with the square of its lines."""
    n_counted = 0

    class Line(str):
        def count(self, *arguments):
            nonlocal n_counted
            n_counted += 1
            return super().count(*arguments)

    lines = map(Line, ["id,a\n", '"p,1\n', *(["q,2\n"] * n_lines)])
    first_lines, rows = read_first_lines("t.csv", lines)
    assert (len(first_lines), len(rows)) == (n_lines + 2, 2)
    assert n_counted <= n_lines + 2 + HEAD_ROWS


def read_phenotype(path, dataset):
    return phenotype_columns(read_phenotype_file(path, dataset, path), dataset)


def test_the_names_of_samples_are_in_the_column_that_the_entry_names(tmp_path):
    path = put(tmp_path, "site,name,id\nx,s1,7\ny,s2,8\n", "p.csv")
    sheet = DatasetEntry("toy", "table", label="site", id_column="name")
    assert read_phenotype(path, sheet).index.tolist() == ["s1", "s2"]
    assert read_phenotype(path, row()).index.tolist() == ["x", "y"]
    assert read_phenotype(path, row(phenotype_id="id")).index.tolist() == ["7", "8"]
    both = row(id_column="name", phenotype_id="id")
    assert read_phenotype(path, both).index.tolist() == ["7", "8"]


def test_the_column_with_the_samples_is_found_if_it_is_not_the_first(tmp_path):
    path = put(tmp_path, "site,name\nx,s1\ny,s2\n", "p.csv")
    text = read_phenotype_file(path, row(), path).text
    assert naming_column(text, ["s1", "s2"]) == "name"
    assert naming_column(text, ["x"]) == ""
    assert naming_column(text, ["other"]) == ""


def test_names_match_only_if_all_of_one_file_do():
    assert matched_names(["/a/s1.bam", "/a/s2.bam"], ["s1", "s2", "s3"]) == ["s1", "s2"]
    assert matched_names(["/a/s1.bam", "/a/s4.bam"], ["s1", "s2"]) is None
    assert matched_names(["/a/s1.bam", "/b/s1.bam"], ["s1", "s2"]) is None
    assert matched_names(["s1", "/a/s2.bam"], ["s1", "s2"]) is None


def test_fifty_columns_of_text_become_the_phenotype_and_more_do_not(tmp_path):
    for n, n_columns in ((50, 50), (51, 0)):
        header = ",".join(["site", "gene_a", *(f"text{i}" for i in range(n))])
        line = ",".join(["1.5", *["t"] * n])
        series = read(
            tmp_path, f"{header}\nx,{line}\ny,{line}\n", features=(NamePattern("gene_*"),)
        )
        columns = series.sample_metadata
        assert (0 if columns is None else len(columns.columns)) == n_columns
        assert series.features.tolist() == ["gene_a"]


def test_angles_have_the_period_of_their_unit(tmp_path):
    series = read(tmp_path, COMMA, angular={"a": "degrees", "b": 8})
    np.testing.assert_allclose(
        series.values, np.array([[1 / 360, 3 / 360], [2 / 8, 4 / 8]]) * 2 * np.pi
    )
    for unit in (0, -1, math.inf, "days"):
        with refused("angular.a: ", key="a"):
            read_entry(
                "x", {"source": "table", "file": "t.csv", "label": "l", "angular": {"a": unit}}
            )


def test_categories_of_a_table_of_several_parts_are_read_before_its_text_is_released(tmp_path):
    rows = [
        f"{'xy'[i % 2]},{'low' if i % 3 else 'high'}," + ",".join(["1.5"] * 50) for i in range(5000)
    ]
    header = "site,level," + ",".join(f"g{i}" for i in range(50))
    text = "\n".join([header, *rows, ""])
    assert text.count(",") > text_table._CELLS_AT_ONCE  # not all at once
    series = read(tmp_path, text, categorical=("level",))
    assert series.values[0].tolist() == [float(i % 3 > 0) for i in range(5000)]


def test_an_option_that_matches_no_column_is_refused(tmp_path):
    for option in ("drop", "features", "categorical"):
        with refused(
            f"{option} has 'c\\*', but no name matches",
            key=option,
        ):
            read(tmp_path, COMMA, **{option: (NamePattern("c*"),)})


@pytest.mark.parametrize(
    ("missing", "rule", "features"),
    [("", {"drop_features": 0.5}, ["a", "b"]), ("", {"drop_features": 0.4}, ["b"]),
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


def columns_row(label="site", **options):
    return DatasetEntry("toy", "table", label=label, samples="columns", **options)


def test_categories_stay_between_the_numbers_where_the_file_has_them(tmp_path):
    text = "name,s1,s2\nsite,x,y\na,1.5,2\nsex,f,m\nb,3,4\n"
    series = read_table(put(tmp_path, text, "t.csv"), columns_row(categorical=("sex",)))
    assert series.features.tolist() == ["a", "sex", "b"]
    assert series.values.tolist() == [[1.5, 2], [0, 1], [3, 4]]
    with refused("b.*line 5", key="missing"):
        read_table(
            put(tmp_path, text.replace("3,4", "3,"), "t.csv"), columns_row(categorical=("sex",))
        )


@pytest.mark.parametrize("n", [50, 51])
def test_fifty_dropped_columns_annotate_the_features_and_more_do_not(tmp_path, n):
    header = ",".join(["name", *(f"note{i}" for i in range(n)), "s1", "s2"])
    cells = ",".join(["t"] * n)
    text = f"{header}\nsite,{cells},x,y\na,{cells},1.5,2\n"
    series = read_table(put(tmp_path, text, "t.csv"), columns_row(drop=(NamePattern("note*"),)))
    assert series.samples.tolist() == ["s1", "s2"]
    assert (series.feature_metadata is None) == (n > 50)


def test_unnamed_features_are_left_out_where_fewer_than_the_named_ones(tmp_path):
    text = "name,s1,s2\nsite,x,y\na,1.5,2\nb,2,3\n,3,4\n"
    series = read_table(put(tmp_path, text, "t.csv"), columns_row())
    assert series.features.tolist() == ["a", "b"]
    with refused("line 4 .*: the feature has no name"):
        read_table(put(tmp_path, text.replace("b,2", ",2"), "t.csv"), columns_row())
    half = text.replace("b,2,3\n", "")
    with refused("line 4 .*: the feature has no name"):
        read_table(put(tmp_path, half, "t.csv"), columns_row())


def test_days_are_names_of_samples_in_text(tmp_path):
    text = "name,1-Mar,2-Mar\nsite,x,y\na,1.5,2\n"
    assert read_table(put(tmp_path, text, "t.csv"), columns_row()).notes == ()


def test_a_missing_value_is_named_by_its_column_where_the_phenotype_lacks_a_sample(tmp_path):
    pheno = put(tmp_path, "sample,site\ns2,x\ns3,y\n", "p.csv")
    path = put(tmp_path, "name,s1,s2,s3\na,1.5,2,\n", "t.csv")
    with refused(r"the first in line 2 \('a'\), column 4 \('s3'\)"):
        read_table(path, columns_row(phenotype=str(pheno)))


def test_a_label_in_both_files_must_agree_and_so_must_a_group(tmp_path):
    pheno = put(tmp_path, "sample,site,donor\ns1,x,p\ns2,y,q\n", "p.csv")
    text = ",site,donor,a\ns1,x,p,1.5\ns2,y,q,2\n"
    options = {"phenotype": str(pheno), "group": "donor"}
    series = read(tmp_path, text, **options)
    assert (series.labels.tolist(), series.groups.tolist()) == (["x", "y"], ["p", "q"])
    assert list(series.sample_metadata) == ["donor"]
    for old, new, name, key in (
        ("s2,y", "s2,z", "site", "label"),
        ("y,q", "y,p", "donor", "group"),
    ):
        with refused(f"'{name}' of sample 's2' .* the phenotype", key=key):
            read(tmp_path, text.replace(old, new), **options)


def test_rows_of_one_name_are_no_column_of_the_samples(tmp_path):
    text = "name,s1,s2\nsite,x,y\nnote,p,q\nnote,r,t\na,1.5,2\n"
    series = read_table(put(tmp_path, text, "t.csv"), columns_row(features=("a",)))
    assert series.sample_metadata is None
    one = read_table(
        put(tmp_path, text.replace("note,r,t\n", ""), "t.csv"), columns_row(features=("a",))
    )
    assert one.sample_metadata["note"].tolist() == ["p", "q"]


def test_a_name_with_brackets_matches_itself(tmp_path):
    text = "site,IL[2],b\nx,1.5,2\ny,3,4\n"
    assert read(tmp_path, text, drop=("IL[2]",)).features.tolist() == ["b"]
    assert read(tmp_path, text, drop=(NamePattern("[ab]"),)).features.tolist() == ["IL[2]"]


def test_the_first_column_without_a_name_has_the_samples(tmp_path):
    assert read(tmp_path, ",site,a\ns1,x,1.5\ns2,y,2\n").samples.tolist() == ["s1", "s2"]
    assert read(tmp_path, "site,a\nx,1.5\ny,2\n").samples.tolist() == ["0", "1"]


def test_categories_are_no_angles(tmp_path):
    series = read(tmp_path, COMMA, categorical=("a",), angular={"a": "degrees", "b": "degrees"})
    assert series.kinds.tolist() == ["categorical", "angular"]
    assert series.values[0].tolist() == [0, 1]


def test_alignments_of_one_name_in_two_folders_keep_their_paths(tmp_path):
    text = "name,/x/S1.bam,/y/S1.bam\nsite,x,y\na,1.5,2\n"
    series = read_table(put(tmp_path, text, "t.csv"), columns_row())
    assert series.samples.tolist() == ["/x/S1.bam", "/y/S1.bam"]
    assert series.notes == ()
    other = read_table(put(tmp_path, text.replace("/y/S1", "/y/S2"), "t.csv"), columns_row())
    assert other.samples.tolist() == ["S1", "S2"]
    assert "were shortened, as '/x/S1.bam' to 'S1'" in other.notes[0]
