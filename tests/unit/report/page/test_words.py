"""The words that a reader meets: at most 350 above the table of genes, 1,200 on the first page."""

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from page_words import visible_words
from report_study import completed
from study_files import StudyFiles, configuration
from toys import dataset

from xnbflow.core.study import Cohorts, Study
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import METHODS, resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import halves_table
from xnbflow.inference.label_test import label_test
from xnbflow.inference.random_genes import random_genes
from xnbflow.models.cohorts import combine
from xnbflow.models.final import final_model
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import write_report
from xnbflow.tables.contract import ALL_COHORTS, TRUTH_TABLE

ENTRIES = {
    "csnb": resolved({"method": "csnb_cv", "params": {"cv": 3}}),
    "nb": resolved({"method": "gaussian_nb"}),
}
QUICK = METHODS["gaussian_nb"].estimator
LABELS = {"csnb": "ClassSpecificNB (CV)", "nb": "Naive Bayes"}


def series_of(name, n_classes=2, seed=0, n_samples=30, **fields):
    """Return a series of log2 values with six genes for each class, and columns of phenotype."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_samples) % n_classes
    values = rng.normal(8, 1, (120, n_samples))
    for code in range(n_classes):
        values[6 * code : 6 * code + 6] += 3 * (codes == code)
    labels = np.array(["normal", "tumour", "adenoma", "polyp", "other"])[codes]
    sites = np.repeat(["north", "south"], n_samples // 2)
    phenotype = pd.DataFrame({"site": sites, "age": rng.integers(30, 80, n_samples).astype(str)})
    symbols = pd.DataFrame({"symbol": [f"GENE{i}" for i in range(120)]}, dtype=object)
    return dataset(
        values, labels, name=name, scale="log2", sample_metadata=phenotype,
        feature_metadata=symbols, **fields,
    )  # fmt: skip


def series_of_counts():
    counts, codes, *_ = simulated_counts(2, n_features=300, n_samples=24)
    labels = np.array(["normal", "tumour"])[codes]
    return dataset(counts, labels, name="GSE1", scale="counts")


def write_study(root, series, cohorts):
    """Write the tables of a study with checks and models; return its results."""
    names = tuple(one_series.name for one_series in series)
    settings = Cohorts(names, "csnb") if cohorts else None
    study = Study(
        id="s", title="A study of a tumour", summary="Which genes differ?", datasets=names,
        classifiers=tuple(ENTRIES), folds=("3-fold",), diagnostics=True, analyses={},
        final=("csnb",), cohorts=settings,
    )  # fmt: skip
    files = StudyFiles(root)
    for one_series in series:
        files.put_series(one_series)
        truth = completed(pd.DataFrame({"feature": []}), TRUTH_TABLE)
        files.put("acquired", {"truth": truth}, dataset=one_series.name)
        folds = draw_folds(one_series, 3, 2)
        trained = {name: train(one_series, folds, entry) for name, entry in ENTRIES.items()}
        place = {"study": "s", "dataset": one_series.name, "folds": "3-fold", "job": "main"}
        files.put_stacked("training", trained, **place)
        tables = trained["csnb"]
        random = random_genes(one_series, tables["selected"], folds)
        files.put_stacked("random_genes", {"csnb": {"random_genes": random}}, **place)
        model = final_model(
            one_series,
            ENTRIES["csnb"],
            predictions=tables["predictions"],
            selected=tables["selected"],
            origin={},
        )
        files.put_model(model, one_series, "s", one_series.name, "csnb")
        checks = {
            "halves": halves_table(one_series, ENTRIES["csnb"], 2),
            "label_test": label_test(one_series, n_repeats=3),
        }
        files.put_stacked("check", {"csnb": checks}, study="s", dataset=one_series.name)
    models = [(name, "csnb") for name in names]
    if cohorts:
        tables, model, merged = combine(series, {"method": "csnb", "params": {"n_features": 3}})
        files.put("cohorts", tables, study="s")
        files.put_model(model, merged, "s", **ALL_COHORTS)
    files.compare(study, LABELS, ENTRIES, label_tests=models, halves=models)
    settings = configuration(study, dict.fromkeys(names, "geo"), ENTRIES)
    return StudyResults(study, LABELS, settings, root)


STUDIES = {
    "one series": (lambda: [series_of("GSE1")], False),
    "five classes": (lambda: [series_of("GSE1", 5, n_samples=60)], False),
    "RNA-seq": (lambda: [series_of_counts()], False),
    "cohorts": (lambda: [series_of(f"GSE{i}", seed=i) for i in range(3)], True),
    "paired patients": (
        lambda: [series_of("GSE1", groups=np.repeat(np.arange(15), 2))],
        False,
    ),
}
#: Words above the table of genes of one series; three series have a card each.
MOST_ABOVE = dict.fromkeys(STUDIES, 350) | {"cohorts": 550}
MOST_WORDS = 1200


def test_words_in_what_is_closed_or_hidden_are_not_counted():
    html = (
        "<h1>One two</h1><details><summary>three</summary><p>no</p><details open><p>no</p>"
        "</details></details><details open><summary>four</summary><p>five 6 7%</p></details>"
        "<span class='hidden'>no</span><svg><text>no</text></svg><div hidden>no</div>"
        "<table><tr><th>six<td>8.5<td>seven</table>"
        "<div class='genes'><p>eight</p></div>"
    )
    words, above = visible_words(html)
    assert words == ["One", "two", "three", "four", "five", "six", "seven", "eight"]
    assert above == words[:-1]


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_a_page_has_few_words_before_anything_is_opened(tmp_path, name):
    make, cohorts = STUDIES[name]
    results = write_study(tmp_path, make(), cohorts)
    write_report(results, tmp_path / "report.html")
    words, above = visible_words((tmp_path / "report.html").read_text())
    print(f"{name}: {len(above)} words above the genes, {len(words)} on the page")
    assert len(above) <= MOST_ABOVE[name], " ".join(above)
    assert len(words) <= MOST_WORDS, " ".join(words)
