"""Every declared table, and a page, made by their producers from small data: `write`."""

import sys
from unittest.mock import patch

import numpy as np
import pandas as pd
from report_study import walk
from small_analyses import tables_of

from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Cohorts, Study, Validation
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.series_audit import audit
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import METHODS, resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import halves_table
from xnbflow.inference.learning_curve import learning_curve
from xnbflow.inference.permutation import label_test
from xnbflow.inference.random_genes import random_genes
from xnbflow.models.cohorts import combine
from xnbflow.models.final import final_model, write_final
from xnbflow.models.validation import validate_all
from xnbflow.report.page import page
from xnbflow.report.page.blocks import Table
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import sections_of, write_curves
from xnbflow.sources.acquisition import acquire_noting
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.simulate import simulate_truth
from xnbflow.studies.description import description_tables
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables import contract
from xnbflow.tables.storage import write_parquet

ENTRIES = {
    "csnb": resolved({"method": "csnb_cv", "params": {"cv": 3}}),
    "xnb": resolved({"method": "xnb"}),
    "nb": resolved({"method": "gaussian_nb"}),
}
COHORTS = ("GSE7904", "beta", "gamma")
STUDY = Study(
    "s", "S", "", COHORTS, tuple(ENTRIES), ("3-fold",), True,
    {name: {"datasets": []} for name in known_analyses()},
    final=("csnb",),
    validate=(Validation("xnb", *COHORTS[:2], harmonise="rank"),), cohorts=Cohorts(COHORTS),
)  # fmt: skip
TESTS = {"min_abs_r": 0.7, "alpha": 1e-6, "dof": "exact"}
SCHEMAS = {
    "acquired": {"truth": contract.TRUTH_TABLE, "notes": contract.NOTES_TABLE},
    "diagnostic": contract.DIAGNOSTIC_TABLES,
    "audit": contract.AUDIT_TABLES,
    "folds": {"folds": contract.FOLDS_TABLE},
    "training": contract.TRAINING_TABLES,
    "check": contract.CHECK_TABLES,
    "permutation": contract.PERMUTATION_TABLES,
    "study": contract.STUDY_TABLES,
    "description": contract.DESCRIPTION_TABLES,
    "model": contract.MODEL_TABLES,
    "validation": contract.VALIDATION_TABLES,
    "cohorts": contract.COHORT_TABLES,
    **{name: contract.analysis_tables(each) for name, each in known_analyses().items()},
}


def cohort(name):
    """Two classes with three genes each, one of them twice, and two labels exchanged."""
    rng = np.random.default_rng(COHORTS.index(name))
    codes, n = np.arange(36) % 2, 120
    values = rng.normal(np.linspace(4, 9, n)[:, None], 1.0, (n, 36))
    values[:6] += 4.0 * (codes == np.repeat([0, 1], 3)[:, None])
    values[6] = values[0]
    labels = np.array(["normal", "tumour"])[codes]
    labels[[0, 1]] = labels[[1, 0]]
    phenotype = {
        "sex": np.tile(["male", "female", "female"], 12),
        "plate": np.repeat(["1", "2"], 18),
    }
    return DataSet(
        name, values, [f"p{i:03}" for i in range(n)], [f"{name}-{i}" for i in range(36)], labels,
        sample_metadata=None if name != COHORTS[0] else phenotype,
        feature_metadata=pd.DataFrame(
            {"symbol": [f"GENE{i}" if i < 8 else "FOS" for i in range(n)]}, dtype=object
        ),
    )  # fmt: skip


class Writer:
    """Writes tables where the workflow has them, and keeps the files of each."""

    def __init__(self, root):
        self.root, self.paths = root, {}

    def put(self, group, tables, place, **wildcards):
        for name, frame in tables.items():
            path = self.path(f"{group}.{name}", place, **wildcards, table=name)
            write_parquet(frame, path, SCHEMAS[group][name])

    def path(self, declared, place, **wildcards):
        own = {key: value for key, value in wildcards.items() if key in place.wildcards}
        path = self.root / place.of(**own)
        self.paths.setdefault(declared, []).append(path)
        return path

    def model(self, model, series, dataset, classifier):
        key = {"dataset": dataset, "classifier": classifier}
        paths = {"model": contract.MODEL, "gene_sets": contract.GENE_SETS}
        paths = {name: self.root / place.of(**key) for name, place in paths.items()}
        for name in contract.MODEL_TABLES:
            paths[name] = self.path(f"model.{name}", contract.MODEL_TABLE, **key, table=name)
        write_final(model, series, {name: str(path) for name, path in paths.items()})


def write_dataset(writer, series):
    """Write what the stages before *compare* leave behind of a data set."""
    key = {"dataset": series.name, "folds": "3-fold"}
    series.write(writer.root / contract.SERIES.of(dataset=series.name))
    truth = simulate_truth(series.n_features, 2, seed=1).assign(feature=series.features)
    truth["class"] = [*np.repeat(series.classes, 3), *[None] * (series.n_features - 6)]
    sheet = SheetRow("wine", "bundled", "wine", features=14, options={"features_tolerance": "1"})
    writer.put("acquired", {"truth": truth}, contract.TRUTH, **key)
    writer.put("acquired", {"notes": acquire_noting(sheet)[1]}, contract.NOTES, **key)
    writer.put("diagnostic", diagnose(series, TESTS), contract.DIAGNOSTIC, **key)
    writer.put("audit", audit(series), contract.DIAGNOSTIC, **key)
    folds = draw_folds(series, 3, 2)
    writer.put("folds", {"folds": folds}, contract.FOLDS, **key)
    trained = {name: train(series, folds, entry) for name, entry in ENTRIES.items()}
    for classifier, tables in trained.items():
        tables["fits"]["warnings"] = "few samples"
        writer.put("training", tables, contract.TRAINED, **key, classifier=classifier)
    found = trained["csnb"]
    model = final_model(series, ENTRIES["csnb"], found["predictions"], found["selected"], {})
    writer.model(model, series, series.name, "csnb")
    return folds, trained["xnb"]["selected"]


def write_checks(writer, series, folds, selected):
    """Write the checks of a classifier, and permutation tests."""
    entry, quick = ENTRIES["csnb"], METHODS["gaussian_nb"].estimator
    checks = {
        "halves": halves_table(series, entry, 3),
        "label_test": label_test(series),
        "random_genes": random_genes(series, selected, folds),
        "learning_curve": learning_curve(series, entry, quick),
    }
    key = {"dataset": series.name, "folds": "3-fold"}
    writer.put("check", checks, contract.TRAINED, **key, classifier="csnb")
    tables = {"permutation": label_test(series, ENTRIES["xnb"], n_permutations=2)}
    writer.put("permutation", tables, contract.PERMUTED, study="s", **key, classifier="xnb")


def write_study(writer, series):
    """Write the tables of the study, of second cohorts, of several series and of analyses."""
    root, entries = writer.root, dict.fromkeys(COHORTS, ENTRIES)
    files = {table.partition(".")[2]: paths for table, paths in writer.paths.items()}
    files["series"] = [root / contract.SERIES.of(dataset=name) for name in COHORTS]
    files["gene_sets"] = [root / "sets.gmt"]
    files["gene_sets"][0].write_text("\t".join(["set", "", *(f"GENE{i}" for i in range(8))]))
    models = [(name, "csnb") for name in COHORTS]
    owners = {"datasets": COHORTS, "diagnosed": COHORTS, "trained": STUDY.trained}
    owners |= {"models": models, "tested": models[:1], "halved": models[:1]}
    owners["permuted"] = [(COHORTS[0], "xnb")]
    about = {"study": "s", "title": "S", "summary": "", "labels": {n: n.upper() for n in ENTRIES}}
    tables = study_tables(about, owners, files, 0.05, entries)
    writer.put("study", tables, contract.STUDY_TABLE, study="s")
    tables = description_tables(owners, entries, files)
    writer.put("description", tables, contract.DESCRIPTION_TABLE, study="s")
    tables = validate_all(series, entries, [vars(pair) for pair in STUDY.validate])
    writer.put("validation", tables, contract.VALIDATION_TABLE, study="s")
    tables, model, merged = combine(
        list(series.values()), {"method": "csnb", "params": {"n_features": 3}}
    )
    writer.put("cohorts", tables, contract.STUDY_TABLE, study="s")
    writer.model(model, merged, "studies/s", "meta_signature")
    for name in known_analyses():
        writer.put(name, tables_of(name, root), contract.ANALYSIS_TABLE, study="s", analysis=name)


def write_page(root):
    """Write the page with numbers in place of figures, columns by name, and no times."""
    source = {"sheet": "my.tsv", "source": "simulate", "location": ""}
    configuration = {
        "studies": {"s": {"title": "S", "datasets": list(COHORTS)}},
        "datasets": {name: source | {"id": name} for name in COHORTS},
        "classifiers": ENTRIES,
        "folds": {"3-fold": {"splits": 3, "repeats": 2}},
        "diagnostics": {"normality_alpha": 0.05, "min_abs_r": 0.7, "dependence_alpha": 1e-6},
    }
    labels = {name: name.upper() for name in ENTRIES}
    results = StudyResults(STUDY, labels, configuration, root, known_analyses())
    sections = list(sections_of(results))
    for section in sections:
        for block in walk(section.blocks):
            if isinstance(block, Table):
                named = sorted(name for name in block.frame if "seconds" not in name)
                object.__setattr__(block, "frame", block.frame[named])

    def as_numbers(_name, _draw, arguments):
        return f'<svg width="72pt"><desc>{arguments}</desc></svg>'

    every_row = pd.option_context("display.max_rows", None)
    with (
        np.printoptions(threshold=sys.maxsize),
        every_row,
        patch.object(page, "render", as_numbers),
    ):
        page.write_page(root / "s/page.html", "S", "", sections, root / "s/figures")
    write_curves(results, root / "s/curves.json")


def write(root):
    """Write everything; return the files of each table."""
    writer = Writer(root)
    series = {name: cohort(name) for name in COHORTS}
    drawn = [write_dataset(writer, each) for each in series.values()]
    write_checks(writer, series[COHORTS[0]], *drawn[0])
    write_study(writer, series)
    write_page(root)
    return writer.paths
