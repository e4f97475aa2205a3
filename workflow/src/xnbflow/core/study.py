"""A study as the configuration describes it: data sets, classifiers, folds, and its analyses.

`Study` has the ids of everything; `Design`, `Validation` and `Cohorts` are its parts.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

#: How the model of a feature treats several samples of a group, see `Design`; the first is the
#: default.
REPEATED = ("mean", "correlation")


@dataclass(frozen=True, kw_only=True)
class Design:
    """How single features of a data set are compared in a study.

    A classifier does not depend on it; the label test is adjusted for the same columns.
    `xnbflow.diagnostics.adjustment` applies it to a data set.

    Attributes
    ----------
    adjust : tuple of str
        Columns of the samples for which comparisons of classes, and the label test, are adjusted.
        They are numbers if all cells are; ``factor(plate)`` is a column of categories in any case.
    reference : str
        The class with which the others are compared, for example the control; empty without one.
    contrasts : tuple of str
        Further comparisons, see `xnbflow.diagnostics.contrasts`.
    repeated : {"mean", "correlation"}
        How the model treats the samples of a group: by blocks and means
        (`xnbflow.data.class_design`), or as samples with a common correlation.
    trend : bool or None
        Whether the variance of a feature depends on its mean, as with logarithms of counts. For
        counts, whether this replaces the weights of `xnbflow.diagnostics.voom`. None is the default
        of the data set: true after ``transform: log_cpm``, else false.
    biology : tuple of str
        Columns of the samples that are part of the question, and shall not limit a verdict.

    Examples
    --------
    >>> Design(adjust=("age", "factor(plate)"), reference="normal").repeated
    'mean'
    """

    adjust: tuple[str, ...] = ()
    reference: str = ""
    contrasts: tuple[str, ...] = ()
    repeated: str = REPEATED[0]
    trend: bool | None = None
    biology: tuple[str, ...] = ()

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> "Design":
        """Return the design that an entry of the configuration describes; lists become tuples."""
        values: dict[str, Any] = {}
        for key, value in settings.items():
            values[key] = tuple(value) if isinstance(value, list) else value
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class Validation:
    """A model of one cohort that is tested on another: ids of a classifier and two data sets.

    ``match`` is how features are matched ("feature" or "symbol"), ``harmonise`` the transform of
    each sample before prediction ("none", "zscore", "rank" or "quantile").
    """

    model: str
    train: str
    test: str
    match: str = "feature"
    harmonise: str = "none"


@dataclass(frozen=True)
class Cohorts:
    """Series of one question that are compared and combined: ids of data sets and a classifier.

    ``model`` is the classifier; if empty, the first of the study. ``match`` and ``harmonise`` are
    as in `Validation`.
    """

    series: tuple[str, ...]
    model: str = ""
    match: str = "feature"
    harmonise: str = "rank"


#: The job of classifiers whose entry names none.
MAIN_JOB = "main"


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study: ids of its data sets, classifiers and schemes of folds, and its analyses.

    Attributes
    ----------
    id, title, summary : str
        Its key in the configuration, its heading, and what it is about.
    datasets, classifiers, folds : tuple of str
        Ids of its data sets, classifiers and schemes of folds. Every classifier is trained on every
        data set with every scheme.
    diagnostics : bool
        Whether normality and dependence are tested.
    analyses : dict
        Name of an analysis to ``{"datasets": [...], "params": {...}}``.
    paper : dict of str to str
        The name that an analysis of a paper uses for a classifier (`Analysis.parts`), to the id of
        that classifier in the configuration.
    permutations : int
        Permuted orders of the labels in the label test of each data set; 0 for no test.
    halves : int
        Number of divisions of the samples into halves, for the stability of fast classifiers.
    final : tuple of str
        Ids of the classifiers that are fitted on all samples of every data set and kept.
    headline : str
        Id of the classifier whose results come first; empty without one.
    validate : tuple of Validation
    cohorts : Cohorts or None
    gene_sets : tuple of str
        GMT files whose sets are tested: paths, or URLs with a checksum.
    omit_sections : tuple of str
        Sections that are not on the page; their tables are still written.
    optional : tuple of str
        Ids of data sets without which the study runs if a file of the user is not there.
    missing : dict of str to str
        Id of each data set that is left out, to the reason; see `without`.
    jobs : dict of str to str
        Id of a classifier to the job that trains it; a classifier that is absent is trained in
        `MAIN_JOB`.
    designs : dict of str to Design
        Id of a data set to its design, see `design_of`.
    """

    id: str
    title: str
    summary: str
    datasets: tuple[str, ...]
    classifiers: tuple[str, ...]
    folds: tuple[str, ...]
    diagnostics: bool
    analyses: dict[str, dict[str, Any]]
    paper: dict[str, str] = field(default_factory=dict)
    permutations: int = 999
    halves: int = 10
    final: tuple[str, ...] = ()
    headline: str = ""
    validate: tuple[Validation, ...] = ()
    gene_sets: tuple[str, ...] = ()
    omit_sections: tuple[str, ...] = ()
    cohorts: Cohorts | None = None
    jobs: dict[str, str] = field(default_factory=dict)
    designs: dict[str, Design] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    missing: dict[str, str] = field(default_factory=dict)

    def without(self, missing: Mapping[str, str]) -> "Study":
        """Return the study without data sets that are left out, ``missing`` with the reasons.

        * An analysis loses these data sets. If it divides samples into folds and has no other data
          set, it is left out.
        * A validation is left out if its training or test cohort is missing.
        * Cohorts lose these series; fewer than two are not combined.
        * If no data set remains, there are no classifiers, but the other analyses, which may
          simulate data.
        """
        if not missing:
            return self
        datasets = tuple(name for name in self.datasets if name not in missing)
        analyses = {}
        for analysis, settings in self.analyses.items():
            named = settings.get("datasets", ())
            present = [name for name in named if name not in missing]
            if present or "folds" not in settings:
                analyses[analysis] = settings | ({"datasets": present} if named else {})
        changes: dict[str, Any] = {
            "datasets": datasets,
            "analyses": analyses,
            "missing": dict(missing),
            "validate": tuple(
                pair
                for pair in self.validate
                if pair.train not in missing and pair.test not in missing
            ),
            "cohorts": _cohorts_without(self.cohorts, missing),
        }
        if not datasets:
            changes |= {"classifiers": (), "folds": (), "final": (), "headline": "", "jobs": {}}
            changes["gene_sets"] = ()
        return replace(self, **changes)

    @property
    def all_datasets(self) -> list[str]:
        """The data sets of the study and of its analyses, each once."""
        names = [*self.datasets]
        for settings in self.analyses.values():
            names += settings.get("datasets", ())
        return list(dict.fromkeys(names))

    def design_of(self, dataset: str) -> Design:
        """Return how single features of a data set are compared."""
        return self.designs.get(dataset, Design())

    def job_of(self, classifier: str) -> str:
        """Return the job that trains a classifier."""
        return self.jobs.get(classifier, MAIN_JOB)

    def classifiers_of(self, job: str) -> tuple[str, ...]:
        """Return the classifiers that a job trains, in the study's order."""
        return tuple(name for name in self.classifiers if self.job_of(name) == job)

    @property
    def training_jobs(self) -> list[tuple[str, str, str]]:
        """The jobs of training: data set, scheme of folds and job, in this order."""
        jobs = dict.fromkeys(self.job_of(name) for name in self.classifiers)
        return list(itertools.product(self.datasets, self.folds, jobs))

    @property
    def priority(self) -> tuple[str, ...]:
        """The classifiers in their order of priority, independent of the results."""
        if self.headline:
            return (self.headline,)
        return tuple(dict.fromkeys([*self.final, *self.classifiers]))

    @property
    def cohort_series(self) -> tuple[str, ...]:
        """The data sets that are compared and combined as cohorts; empty in most studies."""
        return self.cohorts.series if self.cohorts else ()

    @property
    def models(self) -> list[tuple[str, str]]:
        """The data sets and classifiers that are fitted on all samples, in this order."""
        return list(itertools.product(self.datasets, self.final))

    @property
    def validation_datasets(self) -> list[str]:
        """The training and test cohorts of all validations, each once."""
        datasets: list[str] = []
        for pair in self.validate:
            datasets += [pair.train, pair.test]
        return list(dict.fromkeys(datasets))

    @property
    def training_keys(self) -> list[tuple[str, str, str]]:
        """The combinations that are trained: data set, scheme of folds, and classifier."""
        return list(itertools.product(self.datasets, self.folds, self.classifiers))


def study_of(record: Mapping[str, Any]) -> Study:
    """Return a study from its fields as plain values, as `dataclasses.asdict` returns them.

    Fields with a default may be missing. JSON makes lists of tuples, which become tuples again.

    Examples
    --------
    >>> record = {"id": "s", "title": "", "summary": "", "datasets": ["d"], "classifiers": ["nb"]}
    >>> record |= {"folds": ["f"], "diagnostics": True, "analyses": {}, "cohorts": None}
    >>> study_of(record).training_keys
    [('d', 'f', 'nb')]
    """
    values: dict[str, Any] = {}
    for name, value in record.items():
        values[name] = tuple(value) if isinstance(value, list) else value

    # The parts that are dataclasses.
    values["validate"] = tuple(Validation(**pair) for pair in record.get("validate", ()))
    designs = record.get("designs", {})
    values["designs"] = {name: Design.read(design) for name, design in designs.items()}
    if cohorts := record.get("cohorts"):
        values["cohorts"] = Cohorts(**{**cohorts, "series": tuple(cohorts["series"])})
    return Study(**values)


def _cohorts_without(cohorts: Cohorts | None, missing: Mapping[str, str]) -> Cohorts | None:
    """Return the cohorts that remain, or None if fewer than two series do."""
    if cohorts is None:
        return None
    series = tuple(name for name in cohorts.series if name not in missing)
    return replace(cohorts, series=series) if len(series) > 1 else None
