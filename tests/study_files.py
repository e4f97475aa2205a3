"""A study's files where the workflow has them, written table by table.

`StudyFiles` writes tables below a folder at the paths of the contract, and remembers the paths of
each table, as the rules of the workflow pass them to a script. A test writes the series, the
training and the models of a study, and calls `StudyFiles.compare` for the tables of the study::

    files = StudyFiles(folder)
    files.put_series(series)
    files.put_stacked("training", {"nb": tables}, study="s", dataset="d", folds="f", job="main")
    files.compare(study, {"nb": "Naive Bayes"}, {"nb": {"method": "gaussian_nb"}})

`configuration` returns what *report* reads of the configuration of such a study.
"""

from collections import defaultdict
from pathlib import Path

import pandas as pd

from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Design
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.gene_set_files import GeneSetFile, read_gene_sets, with_files
from xnbflow.diagnostics.gene_tables import gene_tables
from xnbflow.diagnostics.series_audit import audit
from xnbflow.jobs.model_files import write_model_files
from xnbflow.studies.study_reader import StudyChecks, StudyReader
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables.contract import GENE_SETS, GROUPS, MODEL, SERIES, analysis_tables
from xnbflow.tables.storage import write_parquet, write_stacked, write_tsv

#: The scheme "3-fold" of all these studies, drawn twice.
FOLDS = 3
REPEATS = 2
#: Series with their diagnostics and audits, by identity: several studies have the same series.
_DIAGNOSED = {}
#: Series with a design and the tables of *genes*, likewise.
_COMPARED = {}
#: Settings of the tests of dependence in *diagnose*.
TESTS = {"min_abs_r": 0.7, "alpha": 1e-6, "dof": "exact"}


class StudyFiles:
    """Writes tables where the workflow has them, and keeps the paths of each.

    ``paths`` has the paths by "group.table", such as "training.predictions", in the order in which
    they were written; those of series are "series", those of gene sets "gene_sets".
    """

    def __init__(self, root):
        self.root = root
        self.paths = defaultdict(list)
        self.series = {}

    def path(self, group, table, **wildcards):
        """Return the path of a table of a group, or of an analysis, and keep it in ``paths``.

        ``wildcards`` may have more names than the path has wildcards.
        """
        place = GROUPS["analysis" if group in known_analyses() else group].path
        wildcards |= {"table": table, "analysis": group}
        path = self.root / place.of(**{name: wildcards[name] for name in place.wildcards})
        self.paths[f"{group}.{table}"].append(path)
        return path

    def put(self, group, tables, **wildcards):
        """Write tables of a group."""
        analysis = known_analyses().get(group)
        declared = analysis_tables(analysis) if analysis else GROUPS[group].tables
        for name, frame in tables.items():
            path = self.path(group, name, **wildcards)
            write_parquet(frame, path, declared[name])
            if declared[name].text:
                write_tsv(frame, path.with_suffix(".tsv"), declared[name])

    def put_stacked(self, group, tables, **wildcards):
        """Write the tables of several classifiers, by classifier and name, as a job writes them.

        Each table is one file with the rows of all classifiers; a classifier without a table, and
        no classifier at all, have no rows in it.
        """
        declared = GROUPS[group].tables
        for name in declared:
            frames = {}
            for classifier, tables_of_one in tables.items():
                if name in tables_of_one:
                    frames[classifier] = tables_of_one[name]
            path = self.path(group, name, **wildcards)
            write_stacked(frames, path, declared[name])

    def _put_absent(self, group, **wildcards):
        """Write the tables of a group that a test has not written, without rows."""
        place = GROUPS[group].path.fill(**wildcards)
        for name, schema in GROUPS[group].schemas.items():
            path = self.root / place.of(table=name)
            if not path.exists():
                write_parquet(pd.DataFrame(columns=schema.fixed), path, schema)

    def put_series(self, series):
        """Write a series with its diagnostics and its audit, and keep it in ``series`` by name."""
        self.series[series.name] = series
        path = self.root / SERIES.of(dataset=series.name)
        series.write(path)
        self.paths["series"].append(path)
        if id(series) not in _DIAGNOSED:
            _DIAGNOSED[id(series)] = (series, diagnose(series, TESTS), audit(series))
        _, diagnostics, checks = _DIAGNOSED[id(series)]
        self.put("diagnostic", diagnostics, dataset=series.name)
        self.put("audit", checks, dataset=series.name)

    def put_genes(self, series, study, design=None):
        """Write the tables of *genes* of a series that has been written; ``study`` is an id."""
        design = design or Design()
        files = [GeneSetFile(path, path.name) for path in self.paths["gene_sets"]]
        key = (id(series), design, *(path.read_text() for path in self.paths["gene_sets"]))
        if key not in _COMPARED:
            sets = read_gene_sets(*self.paths["gene_sets"])
            _COMPARED[key] = (series, gene_tables(series, design, sets))
        tables = _COMPARED[key][1]
        tables |= {"gene_set_tests": with_files(tables["gene_set_tests"], files)}
        self.put("genes", tables, study=study, dataset=series.name)

    def put_model(self, model, series, study, dataset, classifier):
        """Write a model of all samples, with its tables and gene sets; return their paths."""
        key = {"study": study, "dataset": dataset, "classifier": classifier}
        paths = {name: str(self.path("model", name, **key)) for name in GROUPS["model"].tables}
        for name, place in (("model", MODEL), ("gene_sets", GENE_SETS)):
            paths[name] = str(self.root / place.of(**key))
        write_model_files(model, series, Path(paths["model"]).parent, classifier)
        return paths

    def compare(self, study, labels, entries, **checks):
        """Write the tables of a study from those of its data sets and classifiers, and of *genes*.

        ``labels`` and ``entries`` are those of the classifiers by name. ``checks`` are
        the fields of `StudyChecks`: pairs of data set and classifier.
        """
        for name in study.datasets:
            self.put_genes(self.series[name], study.id, study.design_of(name))
        for dataset in study.datasets:
            self._put_absent("acquired", dataset=dataset)
        inputs = StudyReader(study=study, checks=StudyChecks(**checks), root=self.root)
        entries_of = dict.fromkeys(study.datasets, entries)
        tables = study_tables(inputs, entries_of, alpha=0.05)
        self.put("study", tables, study=study.id)


#: The keys of a data set that each source needs.
FURTHER_KEYS = {
    "simulate": {"shape": {"samples": 30, "features": 40, "classes": 3}},
    "table": {"file": "my.tsv", "label": "type"},
}


def configuration(study, sources, entries):
    """Return the configuration of one study with the scheme "3-fold".

    ``sources`` are the sources of its data sets by name (such as "geo"), on which words of the page
    depend; ``entries`` those of its classifiers.
    """
    return {
        "studies": {study.id: {"title": study.title, "datasets": list(study.datasets)}},
        "datasets": {
            name: {"source": sources[name], **FURTHER_KEYS[sources[name]]}
            for name in study.datasets
        },
        "classifiers": {name: entries[name] for name in study.classifiers},
        "folds": {"3-fold": {"splits": FOLDS, "repeats": REPEATS}},
        "diagnostics": {"normality_alpha": 0.05, "min_abs_r": 0.7, "dependence_alpha": 1e-6},
    }
