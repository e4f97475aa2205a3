"""A small finished study, written as tables: what a report is made from, without running anything.

Names hold what a page must not take as markup.
"""

import atexit
import re
import shutil
import tempfile
from collections import defaultdict
from copy import deepcopy
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from xnbflow.core.study import Study
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_file import read_header
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.series_audit import audit
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.permutation import STATISTIC
from xnbflow.report.page import blocks as kinds
from xnbflow.report.page.style import render
from xnbflow.report.results import StudyResults
from xnbflow.studies.description import description_tables
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables import contract
from xnbflow.tables.contract import SERIES, TRAINED, TRAINING_TABLES, TRUTH, TRUTH_TABLE
from xnbflow.tables.storage import digest_of_file, write_parquet, write_tables

SCRIPT = "<script>alert(1)</script>"
ENTRIES = {
    "nb": {"method": "gaussian_nb"},
    "xnb": {"method": "xnb"},
    "forest": {"method": "sklearn.tree.DecisionTreeClassifier"},
    "priors": {"method": "xnb", "params": {"priors": [0.6, 0.3, 0.1]}},
    "calibrated": {"method": "csnb_cv", "params": {"cv": 3}},
}
CLASSIFIERS = {"nb": "Naive Bayes", "xnb": "XNB", "forest": "Forest & trees"}
CLASSES = {"alpha": ["healthy", "tumour <A>", "tumour B"], "GSE7904": ["normal", "tumour"]}
SAMPLES, FEATURES, FOLDS, REPEATS = 36, 40, 3, 2


def small(study):
    """Return the parameters with which an analysis takes seconds."""
    return yaml.safe_load(Path(__file__).with_name("small_studies.yaml").read_text())[study]


def write_study(root: Path, classifiers=tuple(CLASSIFIERS), datasets=tuple(CLASSES), **changes):
    """Write every table of a study under a folder and return its results.

    It is made once in a process, and copied from then on.
    """
    made = _made(classifiers, datasets, **changes)
    shutil.copytree(made.root, root, dirs_exist_ok=True)
    return replace(made, root=root, configuration=deepcopy(made.configuration))


@cache
def _made(classifiers, datasets, **changes):
    root = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    study = Study(
        id="small",
        title="A small study <of> nothing",
        summary="Written by a test.",
        datasets=datasets,
        classifiers=classifiers,
        folds=("3-fold",) if classifiers else (),
        diagnostics=True,
        analyses={},
    )
    for dataset in datasets:
        series, path = _series(dataset), root / SERIES.of(dataset=dataset)
        series.write(path)
        tests = {"min_abs_r": 0.7, "alpha": 1e-6, "dof": "exact"}
        for name, table in (audit(series) | diagnose(series, tests)).items():
            place = root / contract.DIAGNOSTIC.of(dataset=dataset, table=name)
            declared = (contract.AUDIT_TABLES | contract.DIAGNOSTIC_TABLES)[name]
            write_parquet(table, place, declared, digest_of_file(path))
        for classifier in classifiers:
            folder = root / "results" / dataset / "3-fold" / classifier
            _write_training(folder, path, series, resolved(ENTRIES[classifier]), **changes)
    planted = [*np.repeat(CLASSES["alpha"], 3), *[None] * (FEATURES - 9)]
    truth = pd.DataFrame({"feature": _series("alpha").features, "class": planted})
    for name in study.datasets:
        known = truth if name == "alpha" else truth[:0]
        write_declared(known.assign(effect=3.0), root / TRUTH.of(dataset=name), TRUTH_TABLE)
    results = StudyResults(
        study, {c: CLASSIFIERS.get(c, c) for c in classifiers}, _configuration(study), root
    )
    write_results(results)
    return results


def _configuration(study):
    return {
        "studies": {study.id: {"title": study.title, "datasets": list(study.datasets)}},
        "datasets": {
            name: {"sheet": "my.tsv", "id": name, "source": source, "location": ""}
            for name, source in (("alpha", "simulate"), ("GSE7904", "table"))
            if name in study.datasets
        },
        "classifiers": {name: ENTRIES[name] for name in study.classifiers},
        "folds": {"3-fold": {"splits": FOLDS, "repeats": REPEATS}},
        "diagnostics": {"normality_alpha": 0.05, "min_abs_r": 0.7, "dependence_alpha": 1e-6},
    }


def _series(dataset):
    rng = np.random.default_rng(len(dataset))
    classes = CLASSES[dataset]
    codes = np.arange(SAMPLES) % len(classes)
    values = rng.normal(size=(FEATURES, SAMPLES))
    for j in range(len(classes)):
        values[3 * j : 3 * j + 3] += 3 * (codes == j)
    values[1] = values[0] + 0.01 * rng.normal(size=SAMPLES)  # depend on each other given the class
    features = [f"probe_{i:02d}" for i in range(FEATURES)]
    features[0] = SCRIPT
    samples = [f"sample {i}" for i in range(SAMPLES)]
    samples[0] = '"s" & <i>first</i>'
    codes[-6:] = (codes[-6:] + 1) % len(classes)  # wrong labels, so that samples are misclassified
    return DataSet(dataset, values, features, samples, np.array(classes)[codes])


def _write_training(folder, path, series, entry, failed=(), warned=()):
    """Write what the training jobs of a classifier leave behind, put together.

    ``failed`` and ``warned`` hold classifiers, or ``dataset/classifier``.
    """
    names = {folder.name, f"{series.name}/{folder.name}"}
    tables = train(series, draw_folds(read_header(path), FOLDS, REPEATS), entry)
    if names & set(failed):
        fits = tables["fits"].assign(status="failed", error=f"ValueError: {SCRIPT}", features=0)
        tables = {name: table.head(0) for name, table in tables.items()}
        tables["fits"] = fits.assign(features_per_class=np.nan)
    warning = "class 'normal' has few samples" if names & set(warned) else ""
    tables["fits"]["warnings"] = warning
    for name, declared in TRAINING_TABLES.items():
        write_parquet(tables[name], folder / f"{name}.parquet", declared)


def write_results(results, p_values=()):
    """Write the study's tables, with label tests by data set and classifier of such p."""
    study, root = results.study, results.root
    names = ("genes", "normality", "normality_within", "dependence", "dependence_test")
    files = defaultdict(list)
    files["series"] = [root / SERIES.of(dataset=name) for name in study.datasets]
    files["truth"] = [root / TRUTH.of(dataset=name) for name in study.datasets]
    for name in (*names, *contract.AUDIT_TABLES):
        files[name] = [
            root / contract.DIAGNOSTIC.of(dataset=each, table=name) for each in study.datasets
        ]
    for name in TRAINING_TABLES:
        files[name] = [
            root / TRAINED.of(dataset=dataset, folds=folds, classifier=classifier, table=name)
            for dataset, folds, classifier in study.trained
        ]
    keys = {"datasets": study.datasets, "diagnosed": study.datasets, "trained": study.trained}
    keys |= {"models": [], "permuted": [], "halved": [], "tested": list(p_values)}
    for i, p_value in enumerate(dict(p_values).values()):
        test = pd.DataFrame({"metric": ["mean_probability"], "p_value": p_value})
        test["permuted"] = STATISTIC
        checks = dict.fromkeys(("random_genes", "learning_curve"), test[:0])
        checks["label_test"] = test.assign(at_least=2, permutations=99)
        for name, table in checks.items():
            files[name].append(root / f"{name}-{i}.parquet")
            declared = contract.CHECK_TABLES[name]
            known = table[[column for column in table if column in declared.columns]]
            write_declared(known, files[name][-1], declared)
    about = {"study": study.id, "title": study.title, "summary": study.summary}
    about["labels"] = results.labels
    tables = study_tables(about, keys, files, alpha=0.05)
    write_tables(tables, results.folder, contract.STUDY_TABLES)
    entries = {name: resolved(e) for name, e in results.configuration["classifiers"].items()}
    tables = description_tables(keys, dict.fromkeys(study.datasets, entries), files)
    folder = root / contract.DESCRIPTION_TABLE.parent.of(study=study.id)
    write_tables(tables, folder, contract.DESCRIPTION_TABLES)


def write_declared(frame, path, table):
    """Write a table of which a test gives the columns that matter; the others say nothing."""
    nothing = {"integer": 0, "number": np.nan, "boolean": False, "text or none": None, "text": ""}
    columns = {name: nothing[table.columns[name].type] for name in table.fixed}
    completed = frame.assign(**{k: v for k, v in columns.items() if k not in frame})
    more = [name for name in frame if name not in columns]
    write_parquet(completed[[*table.fixed, *more]], path, table)


def with_rows(results, **tables):
    """Write tables of the study, of which a test gives the fields that matter; return the study."""
    for name, rows in tables.items():
        declared, frame = contract.STUDY_TABLES[name], pd.DataFrame(rows)
        path = results.root / contract.STUDY_TABLE.of(study=results.study.id, table=name)
        write_declared(frame[[key for key in frame if key in declared.columns]], path, declared)
    return replace(results)


def changed(results, table, where="index >= 0", **columns):
    """Change the rows of a table of the study for which ``where`` holds; return the study."""
    rows = results.tables[table].copy()
    rows.loc[rows.eval(where), list(columns)] = list(columns.values())
    return with_rows(results, **{table: rows})


def walk(blocks):
    """Every block, those in groups included."""
    for block in blocks:
        yield block
        if isinstance(block, kinds.Group):
            yield from walk(block.blocks)


SHOWING = kinds.Table | kinds.Figure | kinds.Gallery | kinds.Cards | kinds.Evidence | kinds.Facts


def unsourced(blocks, *modules):
    """Return what shows numbers and does not name the files that hold them.

    A text that one of the modules holds as it is says nothing of a study. The figures of a gallery
    have its files.
    """
    fixed = {text for module in modules for text in vars(module).values() if isinstance(text, str)}
    return [
        each
        for each in walk(blocks)
        if (
            each.text not in fixed and re.search(r"\d", each.text)
            if isinstance(each, kinds.Prose)
            else isinstance(each, SHOWING)
        )
        and not each.sources
    ]


def analysis_section(analysis, tables, root, *, sourced=True, common=(), largest=20_000, **results):
    """Write the tables of an analysis; return its section, and the tables of the page.

    Every figure is drawn; what shows numbers names its files, unless ``sourced`` is false. In
    ``common`` are tables of the study.
    """
    study = Study("s", "", "", (), (), (), diagnostics=False, analyses={})
    results = StudyResults(
        **{"study": study, "labels": {}, "configuration": {}} | results, root=root
    )
    for name, declared in contract.analysis_tables(analysis).items():
        frame = tables[name][declared.fixed]
        write_declared(frame, results.folder / analysis.name / f"{name}.parquet", declared)
    for name, frame in dict(common).items():
        declared = contract.STUDY_TABLES[name]
        write_declared(frame, results.folder / f"{name}.parquet", declared)
    module = import_module(analysis.section)
    made = module.section(results)
    for figure in kinds.figures_of(made.blocks):
        drawing = render(figure.name, figure.draw, figure.arguments)
        assert drawing.startswith("<svg"), figure.name
        assert len(drawing) < largest, figure.name
    assert not (sourced and unsourced(made.blocks, module))
    own = {f"{analysis.name}/{name}.tsv" for name in tables}
    assert sources(made.blocks) <= own | {f"{name}.tsv" for name in contract.STUDY_TABLES}
    return made, [each for each in walk(made.blocks) if isinstance(each, kinds.Table)]


def sources(blocks):
    """Return the files that blocks name."""
    return {file for each in walk(blocks) for file in getattr(each, "sources", ())}
