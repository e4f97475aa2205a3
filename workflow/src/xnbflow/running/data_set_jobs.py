"""What the rules of single data sets ask: from *acquire* to *classify*, *check* and *models*.

A rule contains its paths; a planner has the names that are put into them, and the parameters of
the jobs.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xnbflow.running.plan import Plan
from xnbflow.running.provenance import own_code
from xnbflow.running.rule_parts import Values
from xnbflow.sources.registry import known_sources

#: Endings of compressed files.
_COMPRESSED = (".gz", ".xlsx", ".parquet", ".h5ad")
#: MB of text in a MB of a compressed file, about.
_COMPRESSION = 4


@dataclass(frozen=True)
class DataSetPlanner:
    """The jobs of data sets, alone or in a study.

    The wildcards of each method have ``dataset``, and ``study`` in all rules but *acquire* and
    *diagnose*; in *classify* they have ``folds`` and ``job`` as well, in *models* ``classifier``.
    """

    plan: Plan

    # acquire

    def dataset_entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the entry of a data set as the configuration has it."""
        return self.plan.datasets[wildcards.dataset].settings()

    def arguments_of_acquire(self, wildcards: Any) -> dict[str, Any]:
        """Return the entry of a data set, and the states of the user's files that it names."""
        return {
            "entry": self.dataset_entry(wildcards),
            "file_states": self.user_file_states(wildcards),
        }

    def user_files(self, wildcards: Any) -> dict[str, str]:
        """Return the user's files of a data set by the field of the entry that names them."""
        place = f"data set {wildcards.dataset}"
        entry = self.plan.datasets[wildcards.dataset]
        return {
            name: self.plan.local_file(path, f"{place}, {entry.key_of_file(name)}")
            for name, path in entry.local_files.items()
        }

    def user_file_states(self, wildcards: Any) -> dict[str, list[int]]:
        """Return size and time of the user's files of a data set.

        Snakemake compares times only: it would not read a file again that is replaced by an older
        one.
        """
        states = {}
        for key, path in self.user_files(wildcards).items():
            status = Path(path).stat()
            states[key] = [status.st_size, status.st_mtime_ns]
        return states

    def own_code(self, wildcards: Any) -> dict[str, str]:
        """Return the digest of the module that loads a data set, if it is not of xnbflow."""
        source = self.plan.datasets[wildcards.dataset].source
        return own_code([known_sources()[source].module])

    def size_mb(self, wildcards: Any, files: Any) -> float:
        """Return the MB of a data set as text by its files, a rule's inputs, else by the entry."""
        size = 0.0
        for path, mb in zip(files, files.size_files_mb, strict=True):
            size += mb * _COMPRESSION if path.endswith(_COMPRESSED) else mb
        return size or self.plan.dataset_mb(wildcards)

    # diagnose

    def arguments_of_diagnose(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of the tests of a data set: None if no study has their section."""
        studies = self.plan.config.studies.values()
        if not any(study.diagnostics and wildcards.dataset in study.datasets for study in studies):
            return {"tests": None}
        settings = self.plan.config.diagnostics
        tests = {
            "min_abs_r": settings["min_abs_r"],
            "alpha": settings["dependence_alpha"],
            "dof": settings["dof"],
        }
        return {"tests": tests}

    # classify

    def classifiers(self, wildcards: Any) -> tuple[str, ...]:
        """Return the classifiers of a job of training."""
        return self.plan.study(wildcards).classifiers_of(wildcards.job)

    def entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of the classifiers of a job of training by id."""
        return self.plan.classifier_entries(wildcards.dataset, self.classifiers(wildcards))

    def repeats(self, wildcards: Any) -> int:
        """Return the run-time factor of a job of training: 1, and 1 more per ten fits of a fold.

        The fits of a fold are classifiers times repeats: 4 classifiers in 3 repeats have factor 2.
        """
        scheme = self.plan.config.folds[wildcards.folds]
        fits_per_fold = len(self.classifiers(wildcards)) * scheme.repeats
        return 1 + fits_per_fold // 10

    def arguments_of_classify(self, wildcards: Any) -> dict[str, Any]:
        """Return arguments of `xnbflow.jobs.classify.train_classifiers`."""
        return {
            "entries": self.entries(wildcards),
            "scheme": vars(self.plan.config.folds[wildcards.folds]),
            "random_gene_classifiers": self.random_gene_classifiers(wildcards),
        }

    def folds_file(self, wildcards: Any) -> list[str]:
        """Return the file of predefined folds; none where folds are drawn, or the file is a URL."""
        return self.plan.file_of_scheme(wildcards.folds)

    def random_gene_classifiers(self, wildcards: Any) -> list[str]:
        """Return the classifiers that are compared with random genes.

        These are the classifiers with a label test, and only in the first scheme of folds.
        """
        if wildcards.folds != self.plan.study(wildcards).folds[0]:
            return []
        return self.label_test_classifiers(wildcards)

    # check

    def label_test_classifiers(self, wildcards: Any) -> list[str]:
        """Return the classifiers with a label test on a data set."""
        pairs = self.plan.config.label_tests(self.plan.study(wildcards))
        return [name for dataset, name in pairs if dataset == wildcards.dataset]

    def halves_classifiers(self, wildcards: Any) -> list[str]:
        """Return the classifiers that are fitted to halves of the samples of a data set."""
        pairs = self.plan.config.halves(self.plan.study(wildcards))
        return [name for dataset, name in pairs if dataset == wildcards.dataset]

    def arguments_of_check(self, wildcards: Any) -> dict[str, Any]:
        """Return arguments of `xnbflow.jobs.check.check_classifiers`."""
        study = self.plan.study(wildcards)
        tested = self.label_test_classifiers(wildcards)
        halved = self.halves_classifiers(wildcards)
        return {
            "entries": self.plan.classifier_entries(wildcards.dataset, [*tested, *halved]),
            "label_test_classifiers": tested,
            "halves_classifiers": halved,
            "n_pairs": study.halves,
            "n_permutations": study.permutations,
            "adjust": self.plan.design_of(study, wildcards.dataset)["adjust"],
        }

    # models

    def first_job(self, wildcards: Any) -> list[Values]:
        """Return the wildcards of the job of training whose figures a model of all samples has.

        The job is that of the first scheme of folds of the study.
        """
        study = self.plan.study(wildcards)
        return [{"folds": study.folds[0], "job": study.job_of(wildcards.classifier)}]

    def checks_of_model(self, wildcards: Any) -> list[Values]:
        """Return the one job of *check* that fits the classifier to halves, or none."""
        return [{}] if wildcards.classifier in self.halves_classifiers(wildcards) else []

    def arguments_of_models(self, wildcards: Any) -> dict[str, Any]:
        """Return arguments of `xnbflow.jobs.models.fit_kept_model`."""
        study = self.plan.study(wildcards)
        job = study.job_of(wildcards.classifier)
        return {
            "entry": self.plan.config.classifier(wildcards.classifier, wildcards.dataset),
            "origin": {"entry": self.dataset_entry(wildcards)},
            "trained_classifiers": list(study.classifiers_of(job)),
            "halves_classifiers": self.halves_classifiers(wildcards),
        }
