"""The section on what was run: failures, small classes, versions."""

from dataclasses import replace

import numpy as np
import pytest
from report_blocks import blocks, table_with, warnings_in
from report_study import CLASSIFIERS, SCRIPT, study_of_tables, write_study

from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.blocks import Facts, Table
from xnbflow.report.sections import (
    accuracy,
    answer,
    explanation,
    methods,
    samples,
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.mark.slow  # two seconds for a study of its own
def test_failures_and_warnings_are_counted_quoted_and_stop_no_section(tmp_path):
    """A classifier that failed on a data set is neither right nor wrong there."""
    results = write_study(tmp_path, failed=("alpha/forest",), warned=("xnb",))
    section = methods.section(results)
    assert "6 fits failed: see what was run." in warnings_in(answer.section(results))
    assert warnings_in(section) == ["6 fits failed; 12 gave warnings."]
    table = table_with(section, "fits", "text")
    assert f"ValueError: {SCRIPT}" in set(table.frame["text"])
    assert set(table.frame["fits"]) == {6}
    section = accuracy.section(results)
    assert warnings_in(section) == [f"Not fitted in any fold: {CLASSIFIERS['forest']}."]
    names = {figure.name for figure in kinds.figures_of(section.blocks)}
    assert "confusion-alpha-3-fold-forest" not in names
    assert {"confusion-alpha-3-fold-nb", "confusion-GSE7904-3-fold-forest"} <= names
    _, of_alpha, of_other = blocks(samples.section(results), Table)
    assert set(of_alpha.frame[CLASSIFIERS["forest"]]) == {"not tested"}
    assert "not tested" not in set(of_other.frame[CLASSIFIERS["forest"]])
    assert explanation.section(results).blocks


def test_classes_with_fewer_samples_than_folds_are_warned_of(results):
    few = replace(results, configuration={"folds": {"3-fold": {"splits": 15}}})
    section = kinds.Section("methods", "", "", methods._what_was_run(few))
    # The three classes of alpha have 12 samples each, the two of GSE7904 have 18.
    assert "3 classes have fewer samples than there are folds" in warnings_in(section)[0]
    assert set(table_with(section, "class").frame["dataset"]) == {"alpha"}
    assert warnings_in(methods.section(results)) == []


def test_folds_and_versions_are_in_the_overview(results):
    section = methods.section(results)
    facts = {k: v for block in blocks(section, Facts) for k, v in block.items.items()}
    assert facts["Folds"] == "3-fold (splits: 3, repeats: 2)"
    assert facts["numpy"] == np.__version__


@pytest.mark.parametrize(("n_samples", "is_small"), [(2, True), (3, False)])
def test_a_class_with_a_sample_for_each_fold_is_not_small(tmp_path, n_samples, is_small):
    sizes = [{"dataset": "d", "class": "a", "samples": n_samples}]
    study = study_of_tables(tmp_path, {"class_sizes": sizes}, {"folds": {"f": {"splits": 3}}})
    assert len(methods._small_classes(study)) == is_small
    of_file = {"folds": {"f": {"splits": 3, "file": "folds.csv"}}}
    assert methods._small_classes(replace(study, configuration=of_file)).empty


def test_failures_and_warnings_are_counted_apart(tmp_path):
    row = {"dataset": "d", "folds": "f", "classifier": "nb", "text": "t"}
    rows = [row | {"kind": "error"}, row | {"kind": "warnings"}, row | {"kind": "warnings"}]
    prose, group = methods._problem_blocks(study_of_tables(tmp_path, {"problems": rows}))
    assert prose.text == "1 fit failed; 2 gave warnings."
    assert group.opened
    assert group.blocks[0].frame["fits"].tolist() == [1, 2]
    (prose, group) = methods._problem_blocks(study_of_tables(tmp_path, {"problems": rows[1:]}))
    assert prose.text == "0 fits failed; 2 gave warnings."
    assert not group.opened


@pytest.mark.parametrize("missing", [True, False])
def test_data_sets_name_what_was_filled_in(tmp_path, missing):
    rows = [{"dataset": "d", "samples": 9, "missing": missing, "imputed": 1234, "groups": np.nan}]
    table = methods._dataset_table(study_of_tables(tmp_path, {"datasets": rows}))
    assert table.frame["missing"].tolist() == ["1,234 filled in" if missing else "none"]
    assert ("medians of the training samples" in table.caption) == missing
    assert "never on both sides" not in table.caption
