"""Every declared table, and a page, made by their producers from small data: `write`.

The study "s" has three cohorts of 36 samples and 120 genes (see `cohort`), the classifiers csnb-cv,
XNB and Gaussian naive Bayes in three folds, drawn twice, models of csnb-cv, a second cohort for
XNB, the combination of the cohorts, all checks of csnb-cv on the first cohort, a permutation test
of XNB, and every analysis of the papers that are installed.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from report_study import walk
from small_analyses import tables_of
from study_files import FOLDS, REPEATS, StudyFiles, configuration

from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Cohorts, Design, Study, Validation
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import agreement_table, halves_table
from xnbflow.inference.label_test import label_test
from xnbflow.inference.random_genes import random_genes
from xnbflow.models.cohorts import combine
from xnbflow.models.final import final_model
from xnbflow.models.validation import validate_all
from xnbflow.report.page import page
from xnbflow.report.page.blocks import Table
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import sections_of, write_curves
from xnbflow.sources.acquire import acquire_noting
from xnbflow.sources.places.downloads import Origin
from xnbflow.sources.places.seeking import places_table
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.simulate import simulate_truth
from xnbflow.tables.contract import ALL_COHORTS

ENTRIES = {
    "csnb": resolved({"method": "csnb_cv", "params": {"cv": 3}}),
    "xnb": resolved({"method": "xnb"}),
    "nb": resolved({"method": "gaussian_nb"}),
}
#: Where the file of each data set comes from.
SOURCE = "https://example.org/a.csv"
COHORTS = ("GSE7904", "beta", "gamma")
STUDY = Study(
    id="s",
    title="S",
    summary="",
    datasets=COHORTS,
    classifiers=tuple(ENTRIES),
    folds=("3-fold",),
    diagnostics=True,
    analyses={name: {"datasets": []} for name in known_analyses()},
    final=("csnb",),
    validate=(Validation(model="xnb", train=COHORTS[0], test=COHORTS[1], harmonise="rank"),),
    cohorts=Cohorts(COHORTS),
    designs={COHORTS[0]: Design(adjust=("plate",), contrasts=("tumour vs normal",))},
)
LABELS = {name: name.upper() for name in ENTRIES}


def cohort(name):
    """Return a series of 36 normal and tumour samples with 120 genes, on a log2 scale.

    Three genes are higher by 4 in each class, the seventh gene is a copy of the first, and the
    labels of the first two samples are exchanged. Genes from the ninth on have the symbol FOS.
    The first cohort has the columns ``sex`` and ``plate``; the study compares its classes as a pair
    and adjusts for the plate. In the second cohort 12 of 36 samples are tumours. In the last cohort
    the samples 0 to 11 are two of each of six patients.
    """
    rng = np.random.default_rng(COHORTS.index(name))
    codes = np.arange(36) % 2
    if name == COHORTS[1]:
        codes = (np.arange(36) % 3 == 0).astype(int)
    n = 120
    values = rng.normal(np.linspace(4, 9, n)[:, None], 1.0, (n, 36))
    values[:6] += 4.0 * (codes == np.repeat([0, 1], 3)[:, None])
    values[6] = values[0]
    if name == COHORTS[-1]:
        patients = rng.normal(0.0, 2.0, (n, 6))
        values[:, :12] += patients[:, [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5]]
    labels = np.array(["normal", "tumour"])[codes]
    labels[[0, 1]] = labels[[1, 0]]
    phenotype = {
        "sex": np.tile(["male", "female", "female"], 12),
        "plate": np.repeat(["1", "2"], 18),
    }
    symbols = [f"GENE{i}" if i < 8 else "FOS" for i in range(n)]
    is_first = name == COHORTS[0]
    return DataSet(
        name,
        values,
        features=[f"p{i:03}" for i in range(n)],
        samples=[f"{name}-{i}" for i in range(36)],
        labels=labels,
        sample_metadata=phenotype if is_first else None,
        feature_metadata=pd.DataFrame({"symbol": symbols}, dtype=object),
    )


def write_dataset(files, series):
    """Write the tables of a data set and of its training, on which *compare* depends.

    The truth names the six genes that differ. The notes are those of the bundled series wine with a
    wrong number of features, which is tolerated. Every fit has the warning "few samples". Random
    genes are compared on the first cohort only.
    """
    key = {"study": "s", "dataset": series.name, "folds": "3-fold", "job": "main"}
    files.put_series(series)
    truth = simulate_truth(series.n_features, 2, seed=1).assign(feature=series.features)
    truth["class"] = [*np.repeat(series.classes, 3), *[None] * (series.n_features - 6)]
    wine = SheetRow("wine", "bundled", "wine", features=14, options={"features_tolerance": "1"})
    _, notes = acquire_noting(wine)
    files.put("acquired", {"truth": truth, "notes": notes}, **key)
    files.put(
        "sought", {"places": places_table(series.name, [Origin(Path("a.csv"), SOURCE)])}, **key
    )
    folds = draw_folds(series, FOLDS, REPEATS)
    files.put("folds", {"folds": folds}, **key)
    trained = {name: train(series, folds, entry) for name, entry in ENTRIES.items()}
    for tables in trained.values():
        tables["fits"]["warnings"] = "few samples"
    files.put_stacked("training", trained, **key)
    csnb = trained["csnb"]
    model = final_model(
        series,
        ENTRIES["csnb"],
        predictions=csnb["predictions"],
        selected=csnb["selected"],
        origin={},
    )
    files.put_model(model, series, "s", series.name, "csnb")
    compared = {}
    if series.name == COHORTS[0]:
        rows = random_genes(series, trained["xnb"]["selected"], folds)
        compared["csnb"] = {"random_genes": rows}
    files.put_stacked("random_genes", compared, **key)


def write_checks(files, series):
    """Write the checks of csnb-cv on a series, and a permutation test of XNB."""
    entry = ENTRIES["csnb"]
    halves = halves_table(series, entry, 3)
    checks = {
        "halves": halves,
        "agreement": agreement_table(series, halves),
        "label_test": label_test(series, n_repeats=3),
    }
    key = {"study": "s", "dataset": series.name}
    files.put_stacked("check", {"csnb": checks}, **key)
    tables = {"permutation": label_test(series, ENTRIES["xnb"], n_permutations=2)}
    files.put("permutation", tables, **key, classifier="xnb")


def write_study(files, series):
    """Write the tables of the study, of second cohorts, of several series and of analyses.

    The one gene set has the symbols of the first eight genes.
    """
    sets = files.root / "sets.gmt"
    sets.write_text("\t".join(["set", "", *(f"GENE{i}" for i in range(8))]))
    files.paths["gene_sets"].append(sets)
    first = COHORTS[0]
    entries = dict.fromkeys(COHORTS, ENTRIES)
    pairs = [vars(pair) for pair in STUDY.validate]
    files.put("validation", validate_all(series, entries, pairs), study="s")
    tables, model, merged = combine(
        list(series.values()), {"method": "csnb", "params": {"n_features": 3}}
    )
    files.put("cohorts", tables, study="s")
    files.put_model(model, merged, "s", **ALL_COHORTS)
    files.compare(
        STUDY,
        LABELS,
        ENTRIES,
        label_tests=[(first, "csnb")],
        halves=[(first, "csnb")],
        permutation_tests=[(first, "xnb")],
    )
    for name in known_analyses():
        files.put(name, tables_of(name, files.root), study="s")


def write_page(root):
    """Write the page with columns by name, and no times."""
    settings = configuration(STUDY, dict.fromkeys(COHORTS, "simulate"), ENTRIES)
    results = StudyResults(
        STUDY, LABELS, configuration=settings, root=root, analyses=known_analyses()
    )
    sections = list(sections_of(results))
    for section in sections:
        for block in walk(section.blocks):
            if isinstance(block, Table):
                columns = sorted(name for name in block.frame if "seconds" not in name)
                object.__setattr__(block, "frame", block.frame[columns])

    page.write_page(root / "s/page.html", "S", lead="", sections=sections)
    write_curves(results, root / "s/curves.json")


def write(root):
    """Write the whole study below a folder; return the paths of each table."""
    files = StudyFiles(root)
    series = {name: cohort(name) for name in COHORTS}
    for cohort_series in series.values():
        write_dataset(files, cohort_series)
    write_checks(files, series[COHORTS[0]])
    write_study(files, series)
    write_page(root)
    return files.paths
