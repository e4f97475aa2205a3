"""Methods in words: every number is that of a table, every clause was run."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from report_study import (
    CLASSES,
    FEATURES,
    SAMPLES,
    changed,
    completed,
    with_rows,
    write_study,
)

from xnbflow.report.manuscript import paragraphs as source
from xnbflow.report.manuscript.paragraphs import (
    _preparing_steps,
    methods_in_words,
    sections_of_text,
)
from xnbflow.report.manuscript.references import cited_keys
from xnbflow.tables import contract
from xnbflow.tables.storage import write_parquet


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A study of two data sets, without groups and without permutations."""
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def grouped_results(tmp_path_factory):
    """A study of one data set whose samples have groups, with a label test."""
    results = write_study(tmp_path_factory.mktemp("tested"), datasets=("alpha",))
    row = {"dataset": "alpha", "classifier": "xnb", "statistic": "means", "adjusted_for": ""}
    row |= {"observed": 0.71, "permutations": 200, "null_mean": 0.5, "at_least": 4}
    results = with_rows(results, label_tests=[row | {"p_value": 4 / 200}])
    results = changed(results, "verdicts", "classifier == 'xnb'", p_value=4 / 200)
    results = changed(results, "datasets", groups=12.0)
    return replace(results, study=replace(results.study, permutations=199))


def test_the_methods_give_the_sizes_and_folds_of_the_study(results):
    text = sections_of_text(methods_in_words(results))
    sizes = results.tables["class_sizes"]
    expected = {name: (SAMPLES, FEATURES, len(classes)) for name, classes in CLASSES.items()}
    for _, row in results.tables["datasets"].iterrows():
        classes = sizes[sizes["dataset"] == row["dataset"]]
        assert tuple(row[["samples", "features", "classes"]]) == expected[row["dataset"]]
        assert set(classes["samples"]) == {SAMPLES // len(classes)}
        counts = [f"“{label}” {n}" for label, n in classes[["class", "samples"]].to_numpy()]
        sentence = f"It has {row['samples']} samples in {row['classes']} classes"
        sentence += f" ({', '.join(counts)}) and {row['features']} features."
        assert sentence in text["Data"]
    validation = text["Cross-validation"]
    assert "by 3-fold cross-validation, stratified by class and drawn 2 times" in validation
    # xnbflow.data.series_seed; not from names
    assert "derived from the pattern of the classes of the samples" in validation
    assert all(label in text["Classifiers"] for label in results.labels.values())
    assert all(number in text["Software"] for number in results.software.values())


def test_clauses_follow_what_was_run(results, grouped_results):
    plain, grouped = methods_in_words(results), methods_in_words(grouped_results)
    assert "No label test was run." in plain
    assert "(200 orders)" in grouped
    assert "No label test" not in grouped
    assert "12 groups" in grouped
    assert "group" not in plain.replace("where samples have groups, groups count", "")
    assert "Friedman" in plain
    assert "Friedman" not in grouped  # one data set
    for absent in ("hypergeometric", "second cohort was", "disjoint halves of the samples, which"):
        assert absent not in plain + grouped
    assert "2.5" not in sections_of_text(plain)["Statistics"]  # no classifier tunes itself


def test_random_genes_are_described_where_they_were_compared(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",))
    assert "random signature" not in methods_in_words(results)
    row = {"dataset": "alpha", "classifier": "xnb", "signatures": 100}
    text = methods_in_words(with_rows(results, random_genes=[row]))
    assert "with 100 random signatures (alpha, " in text
    assert "venet2011" in cited_keys(text)


def test_versions_are_those_of_the_training_and_differences_are_named(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    ours = results.software["numpy"]
    assert "The same versions trained" in methods_in_words(replace(results))
    text = methods_in_words(replace(results, software={**results.software, "numpy": "0.1"}))
    assert f"numpy {ours}" in text
    assert "the report was written with numpy 0.1." in text


def test_a_study_without_classifiers_claims_no_classification(tmp_path):
    text = methods_in_words(write_study(tmp_path, classifiers=()))
    assert set(sections_of_text(text)) == {"Data", "Statistics", "Software"}
    assert not re.search("cross-valid|accurac|permut", text)


def test_steps_are_described_with_their_reasons(results):
    steps = [{"method": "quantile_normalizer", "reason": "two days"}]
    configuration = results.configuration | {"preprocessing": {"GSE7904": steps}}
    text = sections_of_text(methods_in_words(replace(results, configuration=configuration)))
    assert "in the mean; source: @bolstad2003; reason: two days" in text["Preprocessing"]
    assert "No further preprocessing" not in text["Preprocessing"]


def test_the_steps_of_a_pipeline_are_those_before_its_classifier(results):
    name = next(iter(results.configuration["classifiers"]))
    steps = [{"method": "quantile_normalizer"}, {"method": "gaussian_nb"}]
    assert [step["owner"] for step in _preparing_steps(results, {name: {"steps": steps}})] == [
        results.labels[name]
    ]
    assert list(_preparing_steps(results, {name: {"method": "gaussian_nb"}})) == []


def test_intervals_of_a_paper_are_described_as_they_are_computed(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb", "forest"))
    assert results.tables["headline"]["candidates"].iloc[0] == 2
    text = sections_of_text(methods_in_words(results))["Statistics"]
    assert "corrected for 2 candidates by Bonferroni's method" in text
    assert "The upper limit is 1 where the number of errors, divided in the same way, is at" in text
    assert "upper limit of the accuracy is the greater one" in text
    assert "design effect" not in text  # no groups
    grouped = changed(results, "datasets", groups=12.0)
    text = sections_of_text(methods_in_words(grouped))["Statistics"]
    assert "In alpha the number of samples is divided by the design effect" in text


def test_only_classifiers_that_tune_themselves_have_wider_intervals(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    entries = {"nb": {"method": "gaussian_nb"}}
    tuned = {"nb": {"method": "csnb_cv"}}
    tables = {"summary": [], "stability": []}
    for classifiers, labels in ((entries, []), (tuned, ["Naive Bayes"])):
        configuration = results.configuration | {"classifiers": classifiers}
        study = replace(results, configuration=configuration)
        assert source._classifier_facts(study, tables)["tuned"] == labels


def test_notes_are_in_the_methods_without_their_advice(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    row = {"dataset": "alpha", "code": "reading", "kind": "file", "other": ""}
    rows = [
        row | {"detail": "1 feature is called NAN", "other": "name a gene; or none"},
        row | {"detail": "values were: if, add, and set"},
        row | {"detail": "GPL570", "kind": "platform"},
        row | {"detail": "platform GPL96", "kind": "processing"},
    ]
    text = methods_in_words(with_rows(results, findings=rows))
    assert "Notes on reading: 1 feature is called NAN; values were: if, add, and set." in text
    assert "Platform: GPL570." in text
    assert "processing as “platform GPL96”" in text  # the code decides, not the words


def test_methods_state_a_sample_of_features_where_one_was_drawn(results):
    sample = {"tested": 850_000, "compared": 10_000}
    sample |= {"dependent_error": 0.00494, "pair_share_error": 3.1e-8}
    sampled = changed(results, "datasets", "dataset == 'alpha'", **sample)
    methods = methods_in_words(sampled)
    assert "Of the 850,000 features of alpha a simple random sample of 10,000" in methods
    assert "a standard error of 0.0049, and that of dependent pairs one of 3e-08" in methods
    assert methods.count("simple random sample") == 1


MODEL = {"adjusted": "", "groups": "", "variance": "constant", "samples": 36, "left_out": 0}


def methods_with(root, *, counts=False, contrasts=(), **design):
    """Return the Methods of a study whose data sets were compared by a design."""
    results = write_study(root, classifiers=("nb",))
    for dataset in ("alpha", "GSE7904"):
        place = contract.GROUPS["genes"].path.fill(study="small", dataset=dataset)
        fields = MODEL | (design if dataset == "alpha" else {})
        table = completed(pd.DataFrame([fields]), contract.GROUPS["genes"].tables["design"])
        write_parquet(
            table, root / place.of(table="design"), contract.GROUPS["genes"].tables["design"]
        )
        rows = [{"contrast": name} for name in contrasts if dataset == "alpha"]
        table = completed(
            pd.DataFrame(rows, columns=["contrast"]), contract.GROUPS["genes"].tables["contrasts"]
        )
        write_parquet(
            table, root / place.of(table="contrasts"), contract.GROUPS["genes"].tables["contrasts"]
        )
    results = changed(results, "datasets", "dataset == 'alpha'", counts=counts)
    return methods_in_words(replace(results))


def test_data_sets_of_one_design_have_one_sentence(tmp_path):
    text = methods_with(tmp_path)
    assert text.count("difference of each feature between a class") == 1
    assert "The difference of each feature" in text
    assert "linear model with moderated variances [@smyth2004], with the false" in text


@pytest.mark.parametrize(
    ("design", "expected", "absent"),
    [
        (
            {"adjusted": "age, plate", "left_out": 2},
            ["and of age, plate, with moderated", "; 2 samples without"],
            ["blocks"],
        ),
        ({"groups": "mean"}, ["samples of several classes were blocks"], ["smyth2005"]),
        (
            {"groups": "correlation", "variance": "trend", "counts": True},
            [
                "one correlation for all features [@smyth2005]",
                "variance depends on the mean [@law2014]",
            ],
            ["were blocks", "means were the units", "voom"],
        ),
        ({"variance": "voom", "counts": True}, ["precision weights of voom"], ["depends on"]),
        ({"variance": "trend"}, ["[@smyth2004] that depend on the mean"], ["voom"]),
        (
            {"contrasts": ("a vs b", "c vs b")},
            ["this model: a vs b; c vs b."],
            [],
        ),
    ],
)
def test_the_methods_describe_the_model_of_the_design(tmp_path, design, expected, absent):
    text = methods_with(tmp_path, **design)
    assert "In alpha the difference of each feature" in text
    assert "In GSE7904 the difference of each feature" in text
    model = text[text.index("In alpha the difference") : text.index("In GSE7904 the difference")]
    for phrase in expected:
        assert phrase in model
    for phrase in absent:
        assert phrase not in model


def test_a_study_without_diagnostics_describes_its_genes(tmp_path):
    results = write_study(tmp_path, classifiers=("nb",))
    study = replace(results.study, diagnostics=False)
    text = methods_in_words(replace(results, study=study))
    assert "Shapiro-Wilk" not in text
    assert "The difference of each feature between a class" in text


def test_processing_of_deposited_values_is_named_where_it_is_noted(tmp_path):
    results = write_study(tmp_path)
    notes = {"platform": "GPL570", "processing": "MAS5, scaled", "file": "x"}
    place = {"dataset": "GSE7904", "code": "reading"}
    rows = [place | {"kind": kind, "detail": detail} for kind, detail in notes.items()]
    for with_notes in (False, True):
        study = with_rows(results, findings=rows) if with_notes else results
        data = sections_of_text(methods_in_words(study))["Data"]
        assert ("Platform: GPL570." in data) == with_notes
        assert ("their processing as “MAS5, scaled”." in data) == with_notes
        assert ("Notes on reading: x." in data) == with_notes
