"""The rules *classify*, *check* and *models*: which classifiers a job fits."""

from dataclasses import dataclass
from typing import Any

from xnbflow.running.plan import Plan


@dataclass(frozen=True)
class TrainPlanner:
    """The classifiers of a study on a data set.

    The wildcards of each method have ``study`` and ``dataset``; in *classify* they have ``folds``
    and ``job`` as well, in *models* ``classifier``.
    """

    plan: Plan

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

    def scheme(self, wildcards: Any) -> dict[str, Any]:
        """Return the settings of a scheme of folds."""
        return vars(self.plan.config.folds[wildcards.folds])

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

    def n_permutations(self, wildcards: Any) -> int:
        """Return the number of permuted orders of the label test."""
        return self.plan.study(wildcards).permutations

    def design(self, wildcards: Any) -> dict[str, Any]:
        """Return the columns to adjust for, on which the label test depends."""
        design = self.plan.design_of(self.plan.study(wildcards), wildcards.dataset)
        return {"adjust": design["adjust"]}

    def check_entries(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configurations of all classifiers that a job of *check* fits."""
        names = [*self.label_test_classifiers(wildcards), *self.halves_classifiers(wildcards)]
        return self.plan.classifier_entries(wildcards.dataset, names)

    # models

    def entry(self, wildcards: Any) -> dict[str, Any]:
        """Return the configuration of a classifier for a data set."""
        return self.plan.config.classifier(wildcards.classifier, wildcards.dataset)

    def first_job(self, wildcards: Any) -> dict[str, str]:
        """Return the wildcards of the job of training whose figures a model of all samples has.

        The job is that of the first scheme of folds of the study.
        """
        study = self.plan.study(wildcards)
        return {"folds": study.folds[0], "job": study.job_of(wildcards.classifier)}

    def classifiers_of_first_job(self, wildcards: Any) -> list[str]:
        """Return the classifiers whose rows are in the tables of this job (`first_job`)."""
        job = self.first_job(wildcards)["job"]
        return list(self.plan.study(wildcards).classifiers_of(job))

    def halves_of_model(self, wildcards: Any) -> list[dict[str, str]]:
        """Return the one job of *check* that fits the classifier to halves, or none."""
        return [{}] if wildcards.classifier in self.halves_classifiers(wildcards) else []

    def origin(self, wildcards: Any) -> dict[str, Any]:
        """Return the entry of a data set, which a model keeps."""
        return {"entry": self.plan.datasets[wildcards.dataset].settings()}
