"""Finished studies for tests of the report, written as tables.

`write_study` trains classifiers on two data sets: ``alpha`` (simulated, three classes of 12,
with recorded markers) and ``GSE7904`` (normal and tumour, 18 samples each). Three features
are shifted by 3 in each class, six labels are wrong, feature 1 is nearly feature 0, and names are
markup that a page must show as text. `study_of_tables` trains nothing: a test gives the rows that
matter. `with_rows` and `changed` replace rows of either, `judged` the findings of a verdict.

`analysis_section` writes the tables of an analysis of a paper and returns its section. `walk`,
`sources` and `unsourced` look at the blocks of a section.
"""

import atexit
import re
import shutil
import tempfile
from copy import deepcopy
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from study_files import FOLDS, REPEATS, StudyFiles, configuration

from xnbflow.core.findings import NUMBERS, Finding, lowest
from xnbflow.core.study import Study
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.keyed_tables import KEY
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.report.page import blocks as kinds
from xnbflow.report.results import StudyResults
from xnbflow.report.static.image_files import _for_print
from xnbflow.report.texts import constant_texts
from xnbflow.tables import contract
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import write_parquet

#: The first feature of every series, which a page must show as text.
SCRIPT = "<script>alert(1)</script>"
#: Classifiers of these studies by name, as configured.
ENTRIES = {
    "nb": {"method": "gaussian_nb"},
    "xnb": {"method": "xnb"},
    "forest": {"method": "sklearn.tree.DecisionTreeClassifier"},
    "priors": {"method": "xnb", "params": {"priors": [0.6, 0.3, 0.1]}},
    "calibrated": {"method": "csnb_cv", "params": {"cv": 3}},
}
#: The labels of the classifiers that a study has unless others are named.
CLASSIFIERS = {"nb": "Naive Bayes", "xnb": "XNB", "forest": "Forest & trees"}
#: The classes of each data set, in turn over its samples.
CLASSES = {"alpha": ["healthy", "tumour <A>", "tumour B"], "GSE7904": ["normal", "tumour"]}
SAMPLES = 36
FEATURES = 40


def small(study):
    """Return the parameters with which the analysis of a study takes seconds."""
    return yaml.safe_load(Path(__file__).with_name("small_studies.yaml").read_text())[study]


def write_study(
    root: Path, classifiers=tuple(CLASSIFIERS), datasets=tuple(CLASSES), p_values=(), **changes
):
    """Write every table of a study under a folder and return its results.

    ``p_values`` are those of label tests, by pairs of data set and classifier; ``changes`` are
    ``failed`` and ``warned`` of `make_study`. The study is made once in a process, and copied from
    then on.
    """
    study = make_study(classifiers, datasets, tuple(dict(p_values).items()), **changes)
    shutil.copytree(study.root, root, dirs_exist_ok=True)
    return replace(study, root=root, configuration=deepcopy(study.configuration))


@cache
def make_study(classifiers, datasets, p_values, failed=(), warned=()):
    """Write the study of `write_study` in a folder of its own; return its results.

    ``failed`` and ``warned`` are classifiers, or ``dataset/classifier``, whose fits fail or warn.
    Arguments are tuples, since results are cached by them.
    """
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
    files = StudyFiles(root)
    labels = {name: CLASSIFIERS.get(name, name) for name in classifiers}
    planted = [*np.repeat(CLASSES["alpha"], 3), *[None] * (FEATURES - 9)]
    truth = pd.DataFrame({"feature": _series("alpha").features, "class": planted, "effect": 3.0})
    for dataset in datasets:
        series = _series(dataset)
        files.put_series(series)
        markers = completed(
            truth if dataset == "alpha" else truth[:0], GROUPS["acquired"].tables["truth"]
        )
        files.put("acquired", {"truth": markers}, dataset=dataset)
        if classifiers:
            place = {"study": "small", "dataset": dataset, "folds": "3-fold", "job": "main"}
            trained = {name: _training(series, name, failed, warned) for name in classifiers}
            files.put_stacked("training", trained, **place)
    label_tests = {}  # by data set: the tables of each classifier
    for (dataset, classifier), p_value in p_values:
        test = {
            "statistic": "means",
            "p_value": p_value,
            "at_least": 45,
            "permutations": 1000,
            "adjusted_for": "",
        }
        rows = completed(pd.DataFrame([test]), contract.GROUPS["check"].tables["label_test"])
        label_tests.setdefault(dataset, {})[classifier] = {"label_test": rows}
    for dataset, checks in label_tests.items():
        files.put_stacked("check", checks, study="small", dataset=dataset)
    entries = {name: resolved(ENTRIES[name]) for name in classifiers}
    files.compare(study, labels, entries, label_tests=[key for key, _ in p_values])
    sources = {"alpha": "simulate", "GSE7904": "table"}
    return StudyResults(study, labels, configuration(study, sources, ENTRIES), root)


@cache
def _series(dataset):
    """Return the series of a data set, see the module's docstring."""
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
    return DataSet(
        dataset, values, features=features, samples=samples, labels=np.array(classes)[codes]
    )


def _training(series, classifier, failed, warned):
    """Return the tables of a classifier's training.

    ``failed`` and ``warned`` hold classifiers, or ``dataset/classifier``. A failed classifier has
    rows of fits alone, with an error that is markup.
    """
    names = {classifier, f"{series.name}/{classifier}"}
    tables = {name: table.copy() for name, table in _trained(series.name, classifier).items()}
    if names & set(failed):
        fits = tables["fits"].assign(status="failed", error=f"ValueError: {SCRIPT}", features=0)
        tables = {name: table.head(0) for name, table in tables.items()}
        tables["fits"] = fits.assign(features_per_class=np.nan)
    warning = "class 'normal' has few samples" if names & set(warned) else ""
    tables["fits"]["warnings"] = warning
    return tables


@cache
def _trained(dataset, classifier):
    """Return the tables of training of a classifier; several studies have the same."""
    series = _series(dataset)
    return train(series, draw_folds(series, FOLDS, REPEATS), resolved(ENTRIES[classifier]))


def completed(frame, table):
    """Return rows of which a test gives the columns that matter; the others are empty.

    Columns that the table declares come first, in its order; those by class or data set, such as
    ``recall.normal``, follow.
    """
    empty = {"integer": 0, "number": np.nan, "boolean": False, "text or none": None, "text": ""}
    absent = [name for name in table.fixed if name not in frame]
    frame = frame.assign(**{name: empty[table.columns[name].type] for name in absent})
    return frame[[*table.fixed, *(name for name in frame if name not in table.fixed)]]


def write_declared(frame, path, table):
    """Write the rows of `completed` to a file."""
    write_parquet(completed(frame, table), path, table)


#: A study of the data set ``d`` with two classifiers, whose tables a test gives.
SMALL_STUDY = {
    "id": "s",
    "title": "S",
    "summary": "",
    "datasets": ("d",),
    "classifiers": ("nb", "xnb"),
    "folds": ("f",),
    "diagnostics": True,
    "analyses": {},
}
#: The path of a table of each group, and the tables that it has.
PLACES = {
    "study": (contract.GROUPS["study"].path, contract.GROUPS["study"].tables),
    "cohorts": (contract.GROUPS["cohorts"].path, contract.GROUPS["cohorts"].tables),
    "diagnostic": (contract.GROUPS["diagnostic"].path, contract.GROUPS["diagnostic"].tables),
    "audit": (contract.GROUPS["diagnostic"].path, contract.GROUPS["audit"].tables),
    "genes": (contract.GROUPS["genes"].path, contract.GROUPS["genes"].tables),
    "model": (contract.GROUPS["model"].path, contract.GROUPS["model"].tables),
}


def study_of_tables(root, tables, configuration=None, **fields):
    """Write the tables that a section reads, from the fields that matter; return the study.

    ``tables`` have lists of rows by name: those of the study, and as ``genes.contrasts`` those of
    another group of `PLACES`, of the data set ``d`` and the classifier ``xnb`` where the group has
    one. Fields that a table does not declare are left out. Tables of the study that are not given,
    and the tables of genes and of the audit, are empty. ``fields`` replace those of
    `SMALL_STUDY`. Nothing is
    trained.
    """
    study = Study(**(SMALL_STUDY | fields))
    wildcards = {"study": study.id, "dataset": study.datasets[0], "classifier": "xnb"}
    empty = empty_tables("study") / contract.STUDY.of(study="s")
    shutil.copytree(empty, root / contract.STUDY.of(study=study.id), dirs_exist_ok=True)
    genes = contract.GROUPS["genes"].path.parent
    audit = contract.GROUPS["diagnostic"].path.parent
    for dataset in study.datasets:
        empty = empty_tables("genes") / genes.of(study="s", dataset="d")
        folder = root / genes.of(study=study.id, dataset=dataset)
        shutil.copytree(empty, folder, dirs_exist_ok=True)
        empty = empty_tables("audit") / audit.of(dataset="d")
        shutil.copytree(empty, root / audit.of(dataset=dataset), dirs_exist_ok=True)
    for name, rows in tables.items():
        group, _, table = name.rpartition(".")
        if not group:
            group = "study"
        place, schemas = PLACES[group]
        values = wildcards | {"table": table}
        path = place.of(**{wildcard: values[wildcard] for wildcard in place.wildcards})
        frame = pd.DataFrame(list(rows))
        for column in list(frame):
            declared = schemas[table].column(column)
            if not declared:
                frame = frame.drop(columns=column)
            elif declared.type == "text":  # rows of a list may have different fields
                frame[column] = frame[column].fillna("")
        write_declared(frame, root / path, schemas[table])
    labels = {"nb": "NB", "xnb": "XNB"}
    return StudyResults(study, labels, configuration or {}, root)


@cache
def empty_tables(*groups):
    """Return a folder with every table of groups of `PLACES`, of ``s`` and ``d``, without rows."""
    root = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for group in groups:
        place, schemas = PLACES[group]
        for name, schema in schemas.items():
            values = {"study": "s", "dataset": "d", "table": name}
            path = root / place.of(**{wildcard: values[wildcard] for wildcard in place.wildcards})
            write_declared(pd.DataFrame(), path, schema)
    return root


def with_rows(results, **tables):
    """Write tables of the study, of which a test gives the fields that matter; return the study.

    Fields that a table does not declare are left out. The results that are returned have nothing
    cached of those that were given.
    """
    for name, rows in tables.items():
        declared = contract.GROUPS["study"].tables[name]
        frame = pd.DataFrame(rows)
        path = results.root / contract.GROUPS["study"].files[name].of(study=results.study.id)
        write_declared(frame[[key for key in frame if key in declared.columns]], path, declared)
    return replace(results)


def changed(results, table, where="index >= 0", **columns):
    """Change the rows of a table of the study for which ``where`` holds; return the study.

    ``where`` is an expression of `pandas.DataFrame.eval`, ``columns`` have one value each:
    ``changed(results, "verdicts", "classifier == 'xnb'", level="not supported")``.
    """
    rows = results.tables[table].copy()
    rows.loc[rows.eval(where), list(columns)] = list(columns.values())
    return with_rows(results, **{table: rows})


def finding_row(name, **fields):
    """Return a row of the table ``findings`` without its data set and classifier.

    ``name`` is a code, or a code and kind as "chance: interval"; ``label`` is the class. Numbers
    are among the ``fields``.
    """
    code, _, kind = name.partition(": ")
    numbers = {field: fields.pop(field) for field in NUMBERS if field in fields}
    row = Finding(code=code, kind=kind, numbers=numbers, **fields).columns()
    del row["dataset"]
    return row


def judged(results, classifier, *findings, dataset=None):
    """Give a classifier other findings in every verdict, or in those of a data set.

    ``findings`` are names or rows of `finding_row`. The level follows from them, and no finding of
    the data limits a verdict. Return the study.
    """
    rows = [finding_row(one) if isinstance(one, str) else one for one in findings]
    verdicts = results.tables["verdicts"].copy()
    of_one = verdicts["classifier"] == classifier
    if dataset is not None:
        of_one &= verdicts["dataset"] == dataset
    verdicts.loc[of_one, "level"] = lowest([row["allows"] for row in rows])
    table = results.tables["findings"]
    others = table.merge(verdicts.loc[~of_one, KEY])
    of_data = table[(table["classifier"] == "") & (table["allows"] == "")]
    own_rows = [key | row for key in verdicts.loc[of_one, KEY].to_dict("records") for row in rows]
    kept = [*others.to_dict("records"), *of_data.to_dict("records"), *own_rows]
    return with_rows(results, verdicts=verdicts, findings=kept)


def walk(blocks):
    """Yield every block, those in groups included."""
    for block in blocks:
        yield block
        if isinstance(block, kinds.Group):
            yield from walk(block.blocks)


#: Blocks that show numbers of results; prose does if its text has a digit.
SHOWING = kinds.Table | kinds.Figure | kinds.Gallery | kinds.Cards | kinds.Evidence | kinds.Facts


def unsourced(blocks, *modules):
    """Return the blocks that show numbers and do not name the files that hold them.

    A constant text of the page or of a module contains no number of the study. The figures of a
    gallery have its files.
    """
    fixed = {text for module in modules for text in vars(module).values() if isinstance(text, str)}
    fixed |= constant_texts()
    without_sources = []
    for block in walk(blocks):
        if isinstance(block, kinds.Prose):
            shows_numbers = block.text not in fixed and re.search(r"\d", block.text)
        else:
            shows_numbers = isinstance(block, SHOWING)
        if shows_numbers and not block.sources:
            without_sources.append(block)
    return without_sources


def analysis_section(analysis, tables, root, *, sourced=True, common=(), **results):
    """Write the tables of an analysis; return its section, and the tables of the page.

    Every figure is drawn; what shows numbers names its files, unless ``sourced`` is false. In
    ``common`` are tables of the study by name; ``results`` are fields of `StudyResults`, such as
    its labels.
    """
    study = Study(
        id="s",
        title="",
        summary="",
        datasets=(),
        classifiers=(),
        folds=(),
        diagnostics=False,
        analyses={},
    )
    results = StudyResults(
        **{"study": study, "labels": {}, "configuration": {}} | results, root=root
    )
    for name, declared in contract.analysis_tables(analysis).items():
        frame = tables[name][declared.fixed]
        path = contract.GROUPS["analysis"].path.of(
            study=results.study.id, analysis=analysis.name, table=name
        )
        write_declared(frame, root / path, declared)
    for name, frame in dict(common).items():
        declared = contract.GROUPS["study"].tables[name]
        path = contract.GROUPS["study"].files[name].of(study=results.study.id)
        write_declared(frame, root / path, declared)
    module = import_module(analysis.section)
    section = module.section(results)
    for figure in kinds.figures_of(section.blocks):
        with _for_print(figure.chart(), 85, figure.name) as drawing:
            assert drawing.axes, figure.name
    assert not (sourced and unsourced(section.blocks, module))
    suffixes = (".parquet", ".tsv")
    files = {f"analyses/{analysis.name}/{name}{suffix}" for name in tables for suffix in suffixes}
    for path in contract.GROUPS["study"].files.values():
        file = results.relative_path(path.of(study=results.study.id))
        files |= {file, contract.text_of(file)}
    assert sources(section.blocks) <= files
    return section, [block for block in walk(section.blocks) if isinstance(block, kinds.Table)]


def sources(blocks):
    """Return the files that blocks name."""
    files = set()
    for block in walk(blocks):
        files.update(getattr(block, "sources", ()))
    return files
