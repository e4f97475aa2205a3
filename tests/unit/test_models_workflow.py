"""What a study keeps: models of all samples, and models in a second cohort, with their tables."""

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from model_files import two_classes
from report_study import walk, with_rows
from study_files import StudyFiles
from toys import dataset, refused

from xnbflow.core.study import Study, Validation
from xnbflow.models import cross_validate, fit_model, read_model
from xnbflow.models import validation as second_cohort
from xnbflow.models.final import final_model, model_tables
from xnbflow.models.signature import class_spread, gene_sets
from xnbflow.models.trained import series_digest
from xnbflow.naive_bayes import ClassSpecificNB
from xnbflow.report.page.blocks import Figure, Gallery, Prose, Table
from xnbflow.report.page.page import write_page
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import signature, validation
from xnbflow.report.sentences import cohort_verdict
from xnbflow.studies.description import direction, feature_profiles
from xnbflow.tables import contract
from xnbflow.tables.storage import read_parquet, write_parquet

CSNB = {"method": "csnb", "params": {"n_features": 2}}
TRAIN = replace(two_classes(40), name="one")
TEST = replace(two_classes(32, seed=1), name="two")


@cache
def validated(harmonise="none"):
    """The tables of the signature in the second cohort."""
    return second_cohort.validate(TRAIN, TEST, CSNB, harmonise=harmonise)


@pytest.fixture(scope="module")
def folds():
    return cross_validate(TRAIN, CSNB, 5)


def test_accuracy_is_that_of_a_fit_on_one_and_a_test_on_the_other():
    tables = validated()
    nb = ClassSpecificNB(n_features=2).fit(TRAIN.frame(), TRAIN.labels)
    expected = (nb.predict(TEST.frame()) == TEST.labels).mean()
    row = tables["accuracy"].set_index("cohort").loc["test"]
    assert row["value"] == expected
    assert row["majority"] == 0.5
    assert row["lower"] < expected <= row["upper"]
    assert tables["confusion"]["count"].sum() == TEST.n_samples
    assert (tables["predictions"]["true"] == TEST.labels).all()


def test_a_signature_that_holds_one_that_does_not_and_exchanged_labels(rng):
    tables = validated()
    assert tables["verdicts"]["verdict"].item() == "held"
    noise = replace(TEST, values=rng.normal(8, 1, TEST.values.shape))
    told = second_cohort.validate(TRAIN, noise, CSNB)["verdicts"].iloc[0]
    assert told["verdict"] in {"did not hold", "cannot tell"}
    swapped = np.where(TEST.labels == "tumour", "normal", "tumour")
    other = second_cohort.validate(TRAIN, replace(TEST, labels=swapped), CSNB)
    assert other["verdicts"]["verdict"].item() == "labels look exchanged"
    assert other["verdicts"]["reason"].item() == "normal as tumour, tumour as normal"
    assert tables["predictions"]["predicted"].equals(other["predictions"]["predicted"])


def test_groups_are_kept_together_in_the_cross_validation_beside_it():
    """Each sample twice, in groups: a classifier that learns by heart must not gain."""
    values = np.repeat(np.random.default_rng(1).normal(size=(30, 20)), 2, axis=1)
    labels = np.repeat(np.array(["a", "b"])[np.arange(20) % 2], 2)
    alone, grouped = (dataset(values, labels, groups=g) for g in (None, np.arange(40) // 2))
    by_heart = {"method": "sklearn.neighbors.KNeighborsClassifier", "params": {"n_neighbors": 1}}
    assert cross_validate(alone, by_heart, 5).figures()["accuracy"]["value"] > 0.9
    assert cross_validate(grouped, by_heart, 5).figures()["accuracy"]["value"] < 0.8


def test_an_overlap_counts_features_in_both_signatures():
    table = pd.DataFrame({"class": "a", "feature": ["g0", "g1", "g2"], "direction": "high"})
    other = table.assign(feature=["g1", "g0", "g7"], direction=["low", "high", "low"])
    row = second_cohort.compare_signatures(table, other, TRAIN, TEST).iloc[0]
    assert (row["shared"], row["genes"], row["same_direction"]) == (2, "g0 g1", 1)
    assert (row["size_first"], row["size_second"]) == (3, 3)


def test_a_kept_model_has_the_figures_and_shares_of_its_cross_validation(folds, tmp_path):
    model = final_model(TRAIN, CSNB, folds.predictions, folds.selected, {"location": "one.csv"})
    paths = StudyFiles(tmp_path).put_model(model, TRAIN, "small", "one", "csnb")
    read = read_model(paths["model"])
    assert read.figures == folds.figures()
    assert read.series["location"] == "one.csv"
    text = pd.read_csv(paths["signature"].removesuffix(".parquet") + ".tsv", sep="\t")
    assert text["feature"].tolist() == read.signature["feature"].tolist()
    sets = [line.split("\t") for line in Path(paths["gene_sets"]).read_text().splitlines()]
    assert {gene for cells in sets for gene in cells[2:]} == set(text["feature"])


def test_the_table_of_the_core_is_what_the_classifier_found():
    model = fit_model(TRAIN, {"method": "csnb_cv", "params": {"cv": 3}})
    row, last = model_tables(model, TRAIN)["core"].iloc[0], model.estimator
    core = {name for names in last.core_features_.values() for name in names}
    assert row["features"] == len(core) == model.signature.query("core")["feature"].nunique()
    assert row["features_used"] == len(last.used_columns_)
    assert row[["accuracy", "balanced_accuracy"]].to_dict() == last.core_scores_


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    files = StudyFiles(root)
    pairs = (
        Validation(model="csnb", train="one", test="two"),
        Validation(model="nb", train="one", test="two", harmonise="rank"),
    )
    study = Study(
        id="small",
        title="Small",
        summary="",
        datasets=("one", "two"),
        classifiers=("csnb", "nb"),
        folds=("5-fold",),
        diagnostics=True,
        analyses={},
        final=("csnb", "nb"),
        validate=pairs,
    )
    entries = {"csnb": {"method": "csnb_cv"}, "nb": {"method": "gaussian_nb"}}
    declared = contract.DIAGNOSTIC_TABLES
    genes = {name: pd.DataFrame(columns=declared[name].fixed) for name in ("genes", "gene_values")}
    fits = {"fits": pd.DataFrame(columns=contract.TRAINING_TABLES["fits"].fixed)}
    for series in (TRAIN, TEST):
        key, digest = {"dataset": series.name}, series_digest(series)
        files.put("diagnostic", genes, **key)
        place = {"study": "small", **key, "folds": "5-fold", "job": "main"}
        files.put_stacked("training", dict.fromkeys(entries, fits), digest, **place)
        for name, entry in entries.items():
            folds = cross_validate(series, entry, 5)
            model = final_model(series, entry, folds.predictions, folds.selected, {})
            files.put_model(model, series, "small", series.name, name, digest)
    sizes = pd.DataFrame({"dataset": ["one", "two"], "samples": [TRAIN.n_samples, TEST.n_samples]})
    made = StudyResults(study, {"csnb": "CSNB", "nb": "NB"}, {}, root)
    none = {"concordance": [], "components": []}
    with_rows(made, datasets=sizes, **none, headline=[{"classifier": ""}])
    tables = second_cohort.validate_all(
        {"one": TRAIN, "two": TEST}, {"one": entries}, [vars(pair) for pair in study.validate]
    )
    both = f"{series_digest(TRAIN)} {series_digest(TEST)}"
    files.put("validation", tables, both, study="small")
    return replace(made)


def test_a_verdict_in_words_has_the_numbers_of_its_row():
    row = {"train": "a", "test": "b", "n": 40, "right": 30.0, "value": 0.75, "lower": 0.6}
    row |= {"upper": 0.85, "chance": 0.5, "p_value": 0.0012, "loss": -0.051, "loss_lower": -0.2}
    row |= {"loss_upper": 0.1, "auc": 0.8, "auc_lower": 0.7, "auc_upper": 0.9, "needed": 11.0}
    rest = (
        ": NB, trained on a, has a balanced accuracy of 75% in b (95% interval 60% to 85%, chance "
        "50%; 5 points less than cross-validation in a, 95% interval -20 to +10; AUC 0.80, 0.70 "
        "to 0.90; permuted labels: p = 0.0012); 30 of 40 samples are right."
    )
    start = "Held in part (a class is not recognised)"
    reason = {"verdict": "held in part", "reason": "a class is not recognised"}
    assert cohort_verdict(row | reason, "NB") == start + rest
    start = (
        "The ranking holds, the threshold does not: recalibrate with at least 11 samples of each "
        "class of b"
    )
    reason = {"verdict": "ranking holds", "reason": "the threshold does not"}
    assert cohort_verdict(row | reason, "NB") == start + rest
    unknown = dict.fromkeys(("loss", "auc"), np.nan)
    found = cohort_verdict(row | unknown | {"verdict": "held", "reason": ""}, "NB")
    assert found.startswith("Held: NB, trained on a, ")
    assert "chance 50%; permuted labels: p = 0.0012)" in found
    untested = {"value": np.nan, "verdict": "cannot tell", "reason": "all samples are t"}
    assert cohort_verdict(row | untested, "NB") == "Cannot tell: all samples are t."


def test_the_sections_show_what_the_tables_hold(results, tmp_path):
    sections = [signature.section(results), validation.section(results)]
    write_page(tmp_path / "page.html", "t", "l", sections, tmp_path / "figures")
    page = re.sub("</?abbr.*?>", "", (tmp_path / "page.html").read_text())
    verdicts = results.validation["verdicts"]
    assert len(verdicts) == 2
    for row in verdicts.to_dict("records"):
        assert cohort_verdict(row, results.labels[row["model"]]).split(" (")[0] in page
    assert 'href="models/one/csnb.skops"' in page
    blocks = list(walk(sections[0].blocks))
    assert sum(isinstance(block, Figure) for block in blocks) == 2  # naive Bayes has no signature
    kinds = {type(block) for block in walk(sections[1].blocks)}
    assert {Prose, Table, Gallery} <= kinds


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ("models/one/csnb.signature.parquet", "models/one/csnb.signature.parquet"),
        # the job of training tells the series, so that the first other file is named
        ("training/two/5-fold/main/fits.parquet", "models/two/csnb.signature.parquet"),
        ("validation/recall.parquet", "validation/recall.parquet"),
        ("models/one/csnb.gmt", "models/one/csnb.gmt"),
    ],
)
def test_a_page_is_of_one_series(results, tmp_path, other, named):
    """Tables of models and of a second cohort, and gene sets, belong to what was trained."""
    mine = replace(results, root=shutil.copytree(results.root, tmp_path / "copy"))
    mine.refuse_mixed_series()
    kinds = contract.VALIDATION_TABLES | contract.MODEL_TABLES | contract.GROUPS["training"].schemas
    place = mine.root / "results/studies/small" / other
    if place.suffix == ".gmt":
        place.write_text(place.read_text().replace("high", "low", 1))
    else:
        table = kinds[place.stem.rpartition(".")[2]]
        write_parquet(read_parquet(place, table), place, table, "f" * 64)
    with refused(file=mine.root / "results/studies/small" / named):
        replace(mine).refuse_mixed_series()


def test_a_signature_is_between_where_the_page_is():
    values = np.array([[1.0, 1.2, 5.0, 5.2, 9.0, 9.3], [1, 1, 1, 1, 1, 1], [0, 0, 0, 3, 0, 0]])
    series = dataset(values, list("aabbcc"), features=list("ghk"))
    pairs = [(label, feature) for feature in "ghk" for label in "abc"]
    signature = pd.DataFrame(pairs, columns=["class", "feature"])
    profiles = feature_profiles(series, pd.concat([signature, signature[:1]]))  # a pair counts once
    assert len(profiles) == 9
    row = profiles.set_index(["class", "feature"]).loc["b", "g"]
    assert row[["median_inside", "median_outside"]].tolist() == pytest.approx([5.1, 5.1])
    assert set(profiles.loc[profiles["constant"], "feature"]) == {"h", "k"}
    rows = series.frame()
    spreads = [class_spread(rows[name].to_numpy(), series.labels, label) for label, name in pairs]
    signature = signature.assign(symbol="", direction=[own["direction"] for own in spreads])
    both = profiles.merge(signature, on=["class", "feature"])
    assert both["direction_x"].tolist() == both["direction_y"].tolist()
    told = both.set_index(["feature", "class"])["direction_y"]
    assert [told["g", label] for label in "abc"] == ["low", "between", "high"]
    assert {told["h", label] for label in "abc"} == {"equal"}
    assert told["k", "b"] == "high"
    lines = [line.split("\t") for line in gene_sets(signature, "s")]
    assert ["s_b_between", "in b between the other classes", "g"] in lines


def test_a_class_without_a_value_counts_for_no_direction():
    medians = np.array([2.0, np.nan, 1.0])
    assert [direction(medians, medians, code) for code in range(3)] == ["high", "equal", "low"]
