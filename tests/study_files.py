"""A study's files where the workflow has them, written table by table."""

from collections import defaultdict

from xnbflow.core.plugins import known_analyses
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.diagnostics.series_audit import audit
from xnbflow.models.final import write_final
from xnbflow.studies.description import description_tables
from xnbflow.studies.gene_lists import gene_list_tables
from xnbflow.studies.study_tables import study_tables
from xnbflow.tables.contract import GENE_SETS, GROUPS, MODEL, SERIES, analysis_tables
from xnbflow.tables.storage import digest_of_file, write_parquet, write_stacked, write_tsv

FOLDS, REPEATS = 3, 2
#: Series with their diagnostics and audits, by identity: several studies have the same series.
_DIAGNOSED = {}
TESTS = {"min_abs_r": 0.7, "alpha": 1e-6, "dof": "exact"}


class StudyFiles:
    """Writes tables where the workflow has them, and keeps the files of each."""

    def __init__(self, root):
        self.root, self.paths = root, defaultdict(list)

    def path(self, group, table, **wildcards):
        """Return the path of a table of a group, or of an analysis; it is kept."""
        place = GROUPS["analysis" if group in known_analyses() else group].path
        wildcards |= {"table": table, "analysis": group}
        path = self.root / place.of(**{name: wildcards[name] for name in place.wildcards})
        self.paths[f"{group}.{table}"].append(path)
        return path

    def put(self, group, tables, series="", **wildcards):
        """Write tables of a group, computed from the series of this digest."""
        analysis = known_analyses().get(group)
        declared = analysis_tables(analysis) if analysis else GROUPS[group].tables
        for name, frame in tables.items():
            path = self.path(group, name, **wildcards)
            write_parquet(frame, path, declared[name], series)
            if not analysis and GROUPS[group].text:
                write_tsv(frame, path.with_suffix(".tsv"), declared[name])

    def put_stacked(self, group, tables, series="", **wildcards):
        """Write the tables of several classifiers, by classifier and name, as a job writes them."""
        declared = GROUPS[group].tables
        for name in declared:
            of_classifiers = {
                classifier: of_one[name] for classifier, of_one in tables.items() if name in of_one
            }
            path = self.path(group, name, **wildcards)
            write_stacked(of_classifiers, path, declared[name], series)

    def put_series(self, series):
        """Write a series with its diagnostics and its audit."""
        path = self.root / SERIES.of(dataset=series.name)
        series.write(path)
        self.paths["series"].append(path)
        digest = digest_of_file(path)
        if id(series) not in _DIAGNOSED:
            _DIAGNOSED[id(series)] = (series, diagnose(series, TESTS), audit(series))
        _, diagnostics, checks = _DIAGNOSED[id(series)]
        self.put("diagnostic", diagnostics, digest, dataset=series.name)
        self.put("audit", checks, digest, dataset=series.name)

    def put_model(self, model, series, study, dataset, classifier, digest=""):
        """Write a model of all samples, with its tables and gene sets; return their paths."""
        key = {"study": study, "dataset": dataset, "classifier": classifier}
        paths = {name: str(self.path("model", name, **key)) for name in GROUPS["model"].tables}
        for name, place in (("model", MODEL), ("gene_sets", GENE_SETS)):
            paths[name] = str(self.root / place.of(**key))
        write_final(model, series, paths, digest)
        return paths

    def compare(self, study, labels, entries, **owners):
        """Write the tables of a study from those of its data sets and classifiers.

        ``owners`` are those of the models and checks, as in `study_tables`.
        """
        about = {"study": study.id, "title": study.title, "summary": study.summary}
        files = defaultdict(list)
        files |= {name.rpartition(".")[2]: paths for name, paths in self.paths.items()}
        keys = dict.fromkeys(("models", "permuted", "halved", "tested"), ()) | owners
        keys |= {"datasets": study.datasets, "diagnosed": study.datasets, "trained": study.trained}
        keys["jobs"] = [
            (dataset, folds, study.classifiers_of(job))
            for dataset, folds, job in study.training_jobs
        ]
        checked = [dataset for dataset, _ in (*keys["tested"], *keys["halved"])]
        keys["checked"] = list(dict.fromkeys(checked))
        of_datasets = dict.fromkeys(study.datasets, entries)
        tables = study_tables(
            about | {"labels": labels}, keys, files, alpha=0.05, entries=of_datasets
        )
        self.put("study", tables, study=study.id)
        self.put("gene_lists", gene_list_tables(keys, files), study=study.id)
        self.put("description", description_tables(keys, of_datasets, files), study=study.id)


def configuration(study, sources, entries):
    """Return the configuration of a study; ``sources`` are those of its data sets."""
    return {
        "studies": {study.id: {"title": study.title, "datasets": list(study.datasets)}},
        "datasets": {
            name: {"sheet": "my.tsv", "id": name, "source": sources[name], "location": ""}
            for name in study.datasets
        },
        "classifiers": {name: entries[name] for name in study.classifiers},
        "folds": {"3-fold": {"splits": FOLDS, "repeats": REPEATS}},
        "diagnostics": {"normality_alpha": 0.05, "min_abs_r": 0.7, "dependence_alpha": 1e-6},
    }
