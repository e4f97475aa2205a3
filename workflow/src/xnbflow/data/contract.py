"""The contract of files: every path of the workflow, and every table's columns.

Rules, scripts, evaluation and report take paths and schemas from here and from nowhere else, and
``results/README.md`` is generated from it (`xnbflow.workflow.manual`). `xnbflow.data.tables` writes
and reads no table that deviates. A page shows a table under the labels and in the formats of its
columns. The tables of an analysis are declared in the same form in its own folder,
``xnbflow.studies.<name>.contract``.

It is read whenever the Snakefile is, in every cluster job: only the standard library is imported.
"""

import importlib
import string
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

__all__ = [
    "ANALYSIS",
    "ANALYSIS_TABLE",
    "BATCH",
    "CLASSIFIER",
    "DESCRIPTION",
    "DESCRIPTION_TABLE",
    "DESCRIPTION_TABLES",
    "DIAGNOSTIC",
    "DIAGNOSTIC_TABLES",
    "DOWNLOADS",
    "FIGURES",
    "FOLDERS_OF_DATASET",
    "FOLDERS_OF_RESULTS",
    "FOLDS",
    "FOLDS_TABLE",
    "GENE_SETS",
    "INDEX",
    "INTERVAL",
    "JOBS",
    "LOCK",
    "MANUAL",
    "MODEL",
    "MODELS",
    "MODEL_TABLE",
    "MODEL_TABLES",
    "NOTES",
    "NOTES_TABLE",
    "PAPER",
    "PERMUTATION_TABLES",
    "PERMUTED",
    "PICTURES",
    "REPORT",
    "SERIES",
    "STUDY",
    "STUDY_TABLE",
    "STUDY_TABLES",
    "TRAINED",
    "TRAINING_TABLES",
    "TRUTH",
    "TRUTH_TABLE",
    "TYPES",
    "VALIDATION",
    "VALIDATION_TABLE",
    "VALIDATION_TABLES",
    "Column",
    "PathTemplate",
    "TableSchema",
    "analysis_tables",
    "benchmark_of",
    "columns",
    "log_of",
    "named",
    "table",
    "text_of",
]


class PathTemplate(str):
    """A path with wildcards: a rule takes it as it is, code gives the wildcards values.

    Examples
    --------
    >>> SERIES
    'resources/series/{dataset}.parquet'
    >>> SERIES.of(dataset="wine")
    'resources/series/wine.parquet'
    >>> FOLDS.of(dataset="wine")
    Traceback (most recent call last):
    TypeError: results/{dataset}/{folds}/folds.parquet needs folds
    """

    __slots__ = ()

    @property
    def wildcards(self) -> frozenset[str]:
        """The names of the wildcards."""
        return _wildcards(self)

    def of(self, **values: str) -> str:
        """Return the path with every wildcard replaced by its value.

        Raises
        ------
        TypeError
            If a wildcard has no value, or a value no wildcard.
        """
        for given, needed, verb in (
            (values.keys(), self.wildcards, "needs"),
            (self.wildcards, values.keys(), "has no"),
        ):
            if missing := sorted(set(needed) - set(given)):
                msg = f"{self} {verb} {', '.join(missing)}"
                raise TypeError(msg)
        return self.format(**values)

    def fill(self, **values: str) -> "PathTemplate":
        """Return the template with some wildcards replaced by their values.

        Examples
        --------
        >>> DIAGNOSTIC.fill(table="normality")
        'results/{dataset}/normality.parquet'
        """
        rest = {name: f"{{{name}}}" for name in self.wildcards}
        return PathTemplate(self.format(**rest | values))


@cache
def _wildcards(template: str) -> frozenset[str]:
    """Return the names of a template's wildcards; a large study asks some ten thousand times."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)


#: A data set in canonical form, and what was planted in a simulated one.
SERIES = PathTemplate("resources/series/{dataset}.parquet")
TRUTH = PathTemplate("resources/series/{dataset}.truth.parquet")
#: What was noticed when a data set was acquired.
NOTES = PathTemplate("resources/series/{dataset}.notes.parquet")
#: What was downloaded, a folder per source.
DOWNLOADS = PathTemplate("resources/downloads")
#: The tables that the papers print.
PAPER = PathTemplate("resources/paper")

DIAGNOSTIC = PathTemplate("results/{dataset}/{table}.parquet")
FOLDS = PathTemplate("results/{dataset}/{folds}/folds.parquet")
#: Checksums of the downloads that a data set was accepted from. No output of a rule: a run compares
#: with those of an earlier one, or of somebody else's.
LOCK = PathTemplate("results/checksums/{dataset}.sha256")
#: The folder of all that is known of a classifier on a data set and scheme of folds.
CLASSIFIER = PathTemplate("results/{dataset}/{folds}/{classifier}")
#: The tables of a classifier, which everything else reads; with `folds_per_job` they are put
#: together from those of batches of folds.
BATCH = PathTemplate(CLASSIFIER + "/batches/{batch}/{table}.parquet")
TRAINED = PathTemplate(CLASSIFIER + "/{table}.parquet")

#: What a classifier fitted on all samples is kept in: the model, its tables and its gene sets.
MODELS = PathTemplate("results/{dataset}/models")
MODEL = PathTemplate(MODELS + "/{classifier}.skops")
MODEL_TABLE = PathTemplate(MODELS + "/{classifier}.{table}.parquet")
GENE_SETS = PathTemplate(MODELS + "/{classifier}.gmt")

STUDY = PathTemplate("results/studies/{study}")
STUDY_TABLE = PathTemplate(STUDY + "/{table}.parquet")
#: What is told of single features and samples: a folder of its own, as a job of its own fills it.
DESCRIPTION = PathTemplate(STUDY + "/description")
DESCRIPTION_TABLE = PathTemplate(DESCRIPTION + "/{table}.parquet")
#: What the models of one cohort are worth in another.
VALIDATION = PathTemplate(STUDY + "/validation")
VALIDATION_TABLE = PathTemplate(VALIDATION + "/{table}.parquet")
REPORT = PathTemplate(STUDY + "/report.html")
FIGURES = PathTemplate(STUDY + "/figures")
#: The same as PNG of 300 dots per inch, made when asked for.
PICTURES = PathTemplate(STUDY + "/pictures")
#: The permutation test of one classifier on one data set.
PERMUTED = PathTemplate(STUDY + "/permutations/{dataset}/{classifier}/{table}.parquet")
ANALYSIS = PathTemplate(STUDY + "/{analysis}")
ANALYSIS_TABLE = PathTemplate(ANALYSIS + "/{table}.parquet")
INDEX = PathTemplate("results/index.html")
#: What all of this is, for those who read it.
MANUAL = PathTemplate("results/README.md")

#: A rule and the wildcards of its jobs. A job of ``classify`` is named by its first classifier.
JOBS = {
    "acquire": "{dataset}",
    "diagnose": "{dataset}",
    "classify": "{dataset}/{folds}/{classifier}",
    "train": "{dataset}/{folds}/{classifier}/{batch}",
    "permute": "{study}/{dataset}/{classifier}",
    "compare": "{study}",
    "validate": "{study}",
    "analyse": "{study}/{analysis}",
    "report": "{study}",
    "pictures": "{study}",
}


def log_of(rule: str) -> PathTemplate:
    """Return where a rule's jobs log.

    Examples
    --------
    >>> log_of("diagnose")
    'results/logs/diagnose/{dataset}.log'
    """
    return PathTemplate(f"results/logs/{rule}/{JOBS[rule]}.log")


def benchmark_of(rule: str) -> PathTemplate:
    """Return where Snakemake records the seconds and memory of a rule's jobs."""
    return PathTemplate(f"results/benchmarks/{rule}/{JOBS[rule]}.tsv")


def _fixed(level: int, *templates: str) -> frozenset[str]:
    """Return the names of folders, that many levels down, that templates fix."""
    folders = (template.split("/")[:-1] for template in templates)
    names = {parts[level] for parts in folders if len(parts) > level}
    return frozenset(name for name in names if "{" not in name)


#: Folders of results/ that are no data sets, and of a data set's that are no schemes of folds.
FOLDERS_OF_RESULTS = _fixed(1, LOCK, STUDY_TABLE, log_of("acquire"), benchmark_of("acquire"))
FOLDERS_OF_DATASET = _fixed(2, MODEL)


def text_of(path: str) -> PathTemplate:
    """Return the path of a table as tab-separated text, beside that as Parquet.

    Examples
    --------
    >>> text_of(STUDY_TABLE)
    'results/studies/{study}/{table}.tsv'
    """
    return PathTemplate(path.removesuffix(".parquet") + ".tsv")


#: What a column may hold. Numbers and ``text or none`` may be missing, nothing else may; ``text or
#: number`` is one of them in a whole file.
TYPES = ("text", "text or none", "integer", "number", "boolean", "text or number")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    type : str
        One of `TYPES`.
    meaning : str
        What it says; empty where the name says it.
    label : str
        Its heading on a page; empty for its name, with spaces.
    format : str
        How a page writes its values, say ``".3f"``; empty for what is usual of its type.
    names : {"", "classifier"}
        What its ids are ids of: a page shows the label of a classifier instead.
    """

    type: str
    meaning: str = ""
    label: str = ""
    format: str = ""
    names: str = ""

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            msg = f"{self.type!r} is no type of a column; use one of {', '.join(TYPES)}"
            raise ValueError(msg)

    def shown(self, name: str) -> "Column":
        """Return the column with the label and format that it has under a name.

        Examples
        --------
        >>> shown = Column("number").shown("balanced_accuracy")
        >>> shown.label, shown.format
        ('balanced accuracy', '.3f')
        """
        label = self.label or name.replace("_", " ")
        return replace(self, label=label, format=self.format or _FORMATS.get(self.type, ""))


#: How values of a type are written on a page.
_FORMATS = {"integer": ",", "number": ".3f"}


@dataclass(frozen=True)
class TableSchema:
    """What a table holds.

    Attributes
    ----------
    name : str
        Its file's name, without the suffix.
    title : str
        What it is, in words that a link can have.
    row : str
        What a row is, say ``a feature``.
    columns : mapping of str to Column
        In the order in which they are written. A name that ends in a wildcard, say
        ``log_posterior.{class}``, stands for any number of columns in its place.
    """

    name: str
    title: str
    row: str
    columns: Mapping[str, Column]

    def column(self, name: str) -> Column | None:
        """Return the column of that name, or the one with a wildcard that matches; else None.

        The wildcard in the label of a column has its value there.

        Examples
        --------
        >>> TRAINING_TABLES["predictions"].column("log_posterior.tumour").type
        'number'
        >>> MODEL_TABLES["signature"].column("distance_to.tumour").label
        'to tumour'
        >>> TRAINING_TABLES["predictions"].column("posterior") is None
        True
        """
        if name in self.columns and "{" not in name:
            return self.columns[name]
        for pattern, column in self.columns.items():
            prefix, brace, wildcard = pattern.partition("{")
            if brace and name.startswith(prefix):
                label = column.label.replace(brace + wildcard, name.removeprefix(prefix))
                return replace(column, label=label)
        return None

    @property
    def fixed(self) -> list[str]:
        """The names of the columns that every such table has."""
        return [name for name in self.columns if "{" not in name]


def columns(
    *shared: str | Mapping[str, Column], **own: str | tuple[str, ...] | Column
) -> dict[str, Column]:
    """Return columns by name: shared ones first, then a table's own.

    Parameters
    ----------
    *shared : str or mapping of str to Column
        Names of columns that many tables have, with spaces between them; or columns.
    **own : str, tuple of str or Column
        Its type, followed by a colon and the format that a page uses, if it is not the usual one
        of the type; or a tuple of this, the meaning and, if it is not the name, the label.

    Examples
    --------
    >>> found = columns("dataset class", recall=("number:.2f", "right / tested"))
    >>> found["recall"]
    Column(type='number', meaning='right / tested', label='', format='.2f', names='')
    """
    found: dict[str, Column] = {}
    for each in shared:
        found |= {name: _SHARED[name] for name in each.split()} if isinstance(each, str) else each
    return found | {name: _column(own[name]) for name in own}


def _column(declared: str | tuple[str, ...] | Column) -> Column:
    """Return a column as `columns` takes it."""
    if isinstance(declared, Column):
        return declared
    words = (declared,) if isinstance(declared, str) else declared
    kind, _, spec = words[0].partition(":")
    return replace(Column(kind, *words[1:]), format=spec)


_SHARED = columns(
    dataset=("text", "the data set's id", "data set"),
    folds=("text", "the scheme of folds"),
    classifier=Column("text", "the classifier's id", names="classifier"),
    model=Column("text", "the classifier's id", names="classifier"),
    repeat=("integer", "from 0"),
    fold=("integer", "of the repeat, from 0"),
    sample="text",
    feature="text",
    other_class="text",
    method="text",
    true=("text", "its class"),
    predicted=("text", "the class that it was taken for"),
    samples="integer",
    features="integer",
    first=Column("text", "classifier", names="classifier"),
    second=Column("text", "classifier", names="classifier"),
    lower=("number", "of the 95 % interval"),
    upper=("number", "of the 95 % interval"),
    p=("number:.2g", "its p-value"),
    **{"class": "text"},
)
#: Both ends of an interval, for tables that have it between other columns.
INTERVAL = columns("lower upper")


def table(
    name: str,
    title: str,
    row: str,
    /,
    *shared: str | Mapping[str, Column],
    **own: str | tuple[str, ...] | Column,
) -> TableSchema:
    """Return what a table holds; its columns are given as `columns` takes them."""
    return TableSchema(name, title, row, columns(*shared, **own))


def named(*tables: TableSchema) -> dict[str, TableSchema]:
    """Return tables by their names."""
    return {each.name: each for each in tables}


TRUTH_TABLE = table(
    "truth",
    "what was planted in a simulated data set",
    "a feature",
    "feature",
    **{"class": ("text or none", "the class that regulates it")},
    effect=("number", "shift of that class in standard deviations, 0 for none"),
    block=("integer", "the module of correlated features that it belongs to"),
    loading=("number", "correlation with the module's factor"),
    factor_1=("number", "correlation with the first factor of all features"),
    factor_2=("number", "the second"),
    factor_3=("number", "the third"),
    factor_4=("number", "the fourth"),
    factor_5=("number", "the fifth"),
    shape=("text", "normal, skewed, left-skewed or bimodal within a class"),
)

NOTES_TABLE = table(
    "notes",
    "what was noticed when a data set was acquired",
    "a note",
    "dataset",
    note="text",
)

DIAGNOSTIC_TABLES = named(
    table(
        "normality",
        "normality of each feature",
        "a feature",
        "feature",
        W=("number", "Shapiro-Wilk statistic over all samples"),
        p=("number", "its p-value"),
    ),
    table(
        "normality_within",
        "normality of each feature within each class",
        "a class and feature",
        "class feature",
        W=("number", "Shapiro-Wilk statistic within the class, missing below three samples"),
        p=("number", "its p-value"),
    ),
    table(
        "dependence",
        "the closest partner of each feature, given the class",
        "a feature",
        "feature",
        partner=("text", "the feature whose residuals correlate most with its own"),
        r=("number", "Pearson's correlation of the residuals from the class means"),
        p=("number", "its p-value"),
        dependent=("boolean", "whether |r| and p pass the thresholds"),
    ),
    table(
        "dependence_test",
        "the test of dependence",
        "the data set",
        dependent_pairs=("integer", "pairs of features that depend on each other"),
        cut=("number", "dependent means |r| above it"),
        dof=("integer", "degrees of freedom of the test"),
    ),
    table(
        "correlations",
        "histogram of correlations given the class",
        "a bin of |r|",
        lower="number",
        upper="number",
        pairs=("integer", "how many pairs of features have such a correlation of residuals"),
    ),
)

FOLDS_TABLE = table(
    "folds",
    "the fold in which each sample is tested; it trains in all others of its repeat",
    "a sample of a repeat",
    "repeat fold sample",
)

#: What a training job writes.
TRAINING_TABLES = named(
    table(
        "predictions",
        "what each tested sample was taken for",
        "a tested sample",
        "repeat fold sample true predicted",
        **{
            "log_posterior.{class}": (
                "number",
                "missing without probabilities, -inf for a class that was absent from training",
            )
        },
    ),
    table(
        "selected",
        "the features selected for each class",
        "a feature selected for a class",
        "repeat fold class",
        rank=("integer", "from 1"),
        feature="text",
        distance=("number", "of its class from the others; missing if the classifier has none"),
        constant=("boolean", "whether it is there only because a class is almost constant in it"),
    ),
    table(
        "distances",
        "how far a selected feature separates its class from each other one",
        "a selected feature and another class",
        "repeat fold class feature other_class",
        distance=("number", "of the two class densities"),
    ),
    table(
        "explanations",
        "what each selected feature says of each tested sample, for at most 1,000 samples",
        "a tested sample, class and feature",
        "repeat fold sample class feature",
        log_likelihood="number",
        scale=(
            "text",
            "density (log density in the feature's unit), evidence (0 says nothing) or scaled",
        ),
    ),
    table(
        "priors",
        "what a class has before any feature speaks, for classifiers that explain",
        "a fold and class",
        "repeat fold class",
        log_prior=("number", "-inf for a class that was absent from training"),
        intercept=("number", "of the classifier's calibration, in nats; 0 without one"),
    ),
    table(
        "ties",
        "the groups of features of equal rank between which a selection was cut by name",
        "a feature of a group",
        "repeat fold class",
        group=("integer", "number of the group within its class, from 0"),
        feature="text",
        selected=("boolean", "whether it was taken of the group"),
        exchangeable=("boolean", "whether another of the group was left out"),
    ),
    table(
        "fits",
        "how each fold went",
        "a fold",
        "repeat fold",
        status=("text", "ok or failed"),
        error=("text", "why it failed"),
        warnings=("text", "separated by semicolons"),
        features_per_class=("number", "mean over classes; missing where features are made anew"),
        features=("number", "distinct ones; missing likewise"),
        ties=("number", "groups cut by name; missing where the classifier does not tell"),
        imputed=("integer", "missing values that were filled in, of training and test samples"),
        fit_seconds="number",
        predict_seconds="number",
    ),
)

_PAIR = columns(
    "first second",
    mean_difference=("number", "accuracy of the first less that of the second", "difference"),
)

_OVER = (
    "folds, or repeats: balanced accuracy, macro F1, Matthews' correlation and AUC are those of "
    "all folds of a repeat together, as the mean over folds leaves out the classes a fold lacks; "
    "AUC compares samples of the same fold only, as scores of different fits have no common scale"
)

_PERMUTATION_TEST = columns(
    metric=("text", "accuracy or balanced_accuracy"),
    observed=("number", "on the true labels", "true labels"),
    permutations="integer",
    null_mean=("number", "on permuted labels", "permuted, mean"),
    null_sd=("number", "on permuted labels; missing for a single one"),
    null_95=("number", "what permuted labels reach in 5 % of the cases", "permuted, 95 % below"),
    at_least=("integer", "permutations that reach the observed value", "as good"),
    p_value=("number:.3g", "(at_least + 1) / (permutations + 1)", "p"),
)

#: What the stage *compare* writes for a study, each as Parquet and TSV.
STUDY_TABLES = named(
    table(
        "headline",
        "the study and what it found, in a sentence",
        "the study",
        study=("text", "its id"),
        title="text",
        summary=("text", "what it is about"),
        classifier=("text", "whose results come first; empty without any"),
        text=("text", "the finding; empty without classifiers"),
        fits=("integer", "tried, over all folds, data sets and classifiers"),
    ),
    table(
        "averages",
        "each classifier's means over the data sets where all could be fitted",
        "a classifier",
        "classifier",
        accuracy="number",
        balanced_accuracy="number",
        places=("integer", "pairs of data set and folds in the means"),
        wins=(
            "integer",
            "pairs where its accuracy, to three decimals, is the greatest",
            "most accurate on",
        ),
        fit_seconds=("number:.3g", "median", "seconds to fit"),
    ),
    table(
        "p_values",
        "histogram of the p-values of the normality test",
        "a bin",
        "dataset",
        lower="number",
        upper="number",
        features="integer",
        share=("number", "of the features that could be tested"),
    ),
    table(
        "hard_samples",
        "samples by how many classifiers get them wrong in most repeats",
        "a number of classifiers",
        "dataset folds",
        classifiers=("integer", "how many are wrong"),
        samples="integer",
        share=("number", "of the samples tested"),
    ),
    table(
        "datasets",
        "samples, features and classes of each data set",
        "a data set",
        "dataset samples features",
        classes="integer",
        groups=("number:,.0f", "of samples, say patients; missing where samples have none"),
        missing=("boolean", "whether values are missing and filled in within the folds"),
        imputed=("integer", "missing values that each fold filled in; 0 where none was trained"),
    ),
    table(
        "notes",
        "what was noticed when data sets were acquired",
        "a note",
        "dataset",
        note="text",
    ),
    table(
        "permutation_tests",
        "whether permuted labels are predicted as well as the true ones",
        "a metric",
        "dataset classifier",
        _PERMUTATION_TEST,
    ),
    table(
        "class_sizes",
        "samples of each class",
        "a class",
        "dataset class samples",
    ),
    table(
        "diagnostics",
        "ratios of non-normal and of conditionally dependent features",
        "a data set",
        "dataset",
        non_normal_ratio=(
            "number:.2f",
            "share of features with p below the level",
            "not normal (SW)",
        ),
        non_normal_ratio_fdr=(
            "number:.2f",
            "the same after Benjamini and Hochberg's adjustment",
            "not normal, FDR",
        ),
        non_normal_within_ratio=(
            "number:.2f",
            "share of features and classes",
            "not normal within classes",
        ),
        non_normal_within_ratio_fdr=("number:.2f", "the same, adjusted", "within classes, FDR"),
        dependent_ratio=(
            "number:.2f",
            "share of features that depend on another given the class",
            "dependent (P)",
        ),
        max_abs_r=("number", "the largest |r|", "greatest |r|"),
        dependent_pairs=("number:,.0f", "pairs of features that depend on each other"),
        cut=("number", "dependent means |r| above it", "cut on |r|"),
        dof=("number:.0f", "degrees of freedom of the test", "degrees of freedom"),
    ),
    table(
        "metrics",
        "metrics of every classifier in every fold",
        "a fold",
        "dataset folds classifier repeat fold",
        test_samples="integer",
        accuracy="number",
        log_loss="number",
        brier=("number", "squared error summed over classes, 0 to 2"),
        features_per_class=("number", "mean over classes"),
        features=("number", "distinct ones"),
    ),
    table(
        "summary",
        "mean and spread of each metric, over folds or over repeats, with intervals",
        "a metric",
        "dataset folds classifier",
        metric=("text or none", "missing, as the numbers, where no fold could be fitted"),
        over=("text or none", _OVER),
        mean=("number", "over the folds that could be fitted, or repeats without a failed fold"),
        sd=("number", "over the same folds or repeats"),
        sd_repeats=("number", "over repeats; missing with one repeat"),
        pooled=(
            "number",
            "of accuracy and balanced accuracy: of all predictions, each sample counted once",
        ),
        lower=("number", "of the 95 % interval of pooled; where samples have groups these count"),
        upper=("number", "of the 95 % interval of pooled"),
        baseline=("number", "of predicting the shares of the classes: the majority's accuracy"),
        folds_ok="integer",
        folds_failed=("integer", "the report shows a row only where there is none"),
    ),
    table(
        "verdicts",
        "how well the result of each classifier is supported",
        "a classifier",
        "dataset folds classifier",
        level=("text", "well supported, partly supported or not supported", "verdict"),
        reasons=("text", "the conditions that fail; empty where it is well supported"),
        p_value=("number:.3g", "of the permutation test of balanced accuracy; missing without one"),
        choices=("integer", "out of how many it was chosen after looking; 1: before"),
        units=("integer", "samples, or groups where samples have them"),
        accuracy=("number", "of all predictions, each sample counted once"),
        accuracy_lower=("number", "of the 95 % interval, corrected for the choices"),
        accuracy_upper=("number", "of the 95 % interval, corrected for the choices"),
        balanced_accuracy=("number", "mean recall of the classes"),
        balanced_lower=("number", "of the 95 % interval, corrected for the choices"),
        balanced_upper=("number", "of the 95 % interval, corrected for the choices"),
        majority=("number", "share of the largest class"),
        majority_p=("number:.3g", "one-sided, of the accuracy against that share"),
        chance=("number", "one over the number of classes"),
    ),
    table(
        "repeats",
        "value of each metric in each repeat",
        "a repeat and metric",
        "dataset folds classifier repeat",
        metric="text",
        value=("number", "missing if a fold could not be fitted"),
        pooled=("boolean", "whether of all folds' predictions together, else the mean over folds"),
    ),
    table(
        "paper",
        "the paper's numbers beside ours",
        "a printed number",
        "dataset folds",
        quantity="text",
        paper=("number", "as printed"),
        ours=("number", "mean over repeats"),
        sd=("number", "over repeats; missing with one", "sd of repeats"),
        percentile=(
            "number:.0f",
            "of the paper's value among our repeats, rounded as it is printed, ties half",
        ),
        n_repeats=("integer", "", "repeats"),
    ),
    table(
        "confusion",
        "how often a sample of one class is taken for another",
        "a pair of classes",
        "dataset folds classifier true predicted",
        count=("integer", "over folds and repeats"),
        share=("number", "of the tests of the true class"),
    ),
    table(
        "calibration",
        "predicted probability against observed frequency",
        "a bin of predicted probability",
        "dataset folds classifier",
        bin=("integer", "from 0"),
        lower="number",
        upper="number",
        mean_predicted=("number", "missing where the bin is empty"),
        observed=("number", "share of predictions in the bin that are right; missing likewise"),
        observed_lower=("number", "of the 95 % interval, each sample or group counted once"),
        observed_upper=("number", "of the 95 % interval"),
        count=("integer", "predictions in the bin"),
        few=("boolean", "whether these are fewer than ten samples"),
    ),
    table(
        "confidence",
        "how many predictions are sure, and how many of these are right",
        "a probability",
        "dataset folds classifier",
        above=("number", "that a prediction's probability exceeds"),
        predictions=("integer", "all that have probabilities"),
        count=("integer", "those that are so sure"),
        share=("number", "count / predictions"),
        right=("integer", "how many of these"),
        accuracy=("number", "right / count; missing, as what follows, where none is so sure"),
        accuracy_lower=("number", "of the 95 % interval, each sample or group counted once"),
        accuracy_upper=("number", "of the 95 % interval"),
        promised=("number", "mean probability of these"),
        p=("number:.3g", "one-sided, of so few right ones if the probabilities were calibrated"),
        overconfident=("boolean", "whether p is at most .025"),
    ),
    table(
        "recall",
        "how many samples of each class are recognised",
        "a class",
        "dataset folds classifier class",
        samples=("integer", "of the class that are tested"),
        tested=("integer", "times, over repeats"),
        right=("integer", "times"),
        recall=("number:.2f", "share of its samples that are recognised, the mean over repeats"),
        lower=("number:.2f", "of the 95 % interval, each sample or group counted once"),
        upper=("number:.2f", "of the 95 % interval"),
        predicted=("integer", "times that the class was predicted"),
        precision=("number", "share of these that are right; missing if never predicted"),
        recognised=(
            "boolean",
            "whether recall is above one half and, by its interval, above the false alarms",
        ),
        taken_for=(
            "text",
            "the class that its samples are most often mistaken for; empty if none is",
            "mistaken for",
        ),
        taken=("number:.3g", "how many of its samples, the mean over repeats", "samples mistaken"),
    ),
    table(
        "samples",
        "how often each sample is misclassified",
        "a sample",
        "dataset folds classifier sample true",
        tested=("integer", "times"),
        wrong=("integer", "times"),
        predicted=("text", "the class that it is most often taken for"),
        mistakes=("text", "the wrong classes with their number of times, say `AML 7, B-ALL 3`"),
        suspect=("boolean", "wrong in most of its tests though its class is recognised"),
    ),
    table(
        "misclassified",
        "samples that a classifier gets wrong, those wrong by most first",
        "a sample",
        "dataset folds sample true",
        wrong_by=("integer", "classifiers that are wrong in more than half of the repeats"),
        wrong=("integer", "times, of all classifiers and repeats"),
        tested=("integer", "times, likewise"),
    ),
    table(
        "selection",
        "how often each feature is selected for each class",
        "a class and feature",
        "dataset folds classifier class feature",
        times=("integer", "selected"),
        mean_rank="number:.1f",
        mean_distance=("number:.2f", "missing if the classifier has none", "greatest distance"),
        times_tied=("number", "when another could replace it; missing if ties are not told"),
        times_constant=("integer", "when it was there only because a class is almost constant"),
        fits=("integer", "folds that could be fitted"),
        frequency=("number:.2f", "times / fits", "share of folds"),
    ),
    table(
        "ties",
        "features that could as well have been selected",
        "a selected feature and another that ties with it",
        "dataset folds classifier class feature",
        alternative=("text", "of the same rank, left out by its name", "could as well be"),
        times=("integer", "fits in which it was so"),
        fits=("integer", "folds that could be fitted"),
        frequency=("number:.0%", "times / fits", "in folds, at most"),
    ),
    table(
        "stability",
        "Nogueira's stability index of the selected sets",
        "a class ('' for the union of all)",
        "dataset folds classifier class",
        stability=("number", "missing where it is not defined, and for a class of one sample"),
        **INTERVAL,
        stability_ties=("number", "with ties taken as one; missing if ties are not told"),
        lower_ties=("number", "of its 95 % interval"),
        upper_ties=("number", "of its 95 % interval"),
        sets=("integer", "folds that could be fitted"),
        mean_size=("number:.1f", "features in a set", "features"),
        samples=("integer", "of the class"),
        constant=("number", "share of the selections only because a class is almost constant"),
        note=("text", "one sample; constant, where that share is above a half; else empty"),
    ),
    table(
        "recovery",
        "planted markers found, where the truth is known",
        "a classifier on simulated data",
        "dataset folds classifier",
        planted=("integer", "markers", "planted markers"),
        by_chance=(
            "number",
            "share of the features that are markers: the precision of chance",
            "markers among all",
        ),
        precision=("number", "mean over the folds that select something", "markers among selected"),
        recall=("number", "mean over folds", "markers selected"),
        strength=(
            "number",
            "mean share of the markers weaker than a selected feature; by chance half of by_chance",
            "weaker than selected",
        ),
    ),
    table(
        "ranks",
        "average rank of each classifier over data sets",
        "a classifier",
        "folds classifier",
        average_rank=("number", "of its accuracy"),
        datasets=("integer", "how many"),
        critical_difference=("number", "Nemenyi, 5 %"),
        bars=("text", "letters of the bars of the diagram that join it with others"),
    ),
    table(
        "omnibus",
        "tests whether any classifier differs from the others",
        "a test",
        "folds",
        test=("text", "Friedman, or Iman-Davenport"),
        statistic="number",
        p_value="number",
        datasets=("integer", "how many"),
    ),
    table(
        "pairwise",
        "every pair of classifiers compared over data sets",
        "a pair of classifiers",
        "folds",
        _PAIR,
        z=("number", "of the difference of average ranks"),
        rank_p=("number", "its p-value, not adjusted"),
        nemenyi=("number:.2g", "adjusted", "Nemenyi"),
        holm=("number:.2g", "adjusted", "Holm"),
        shaffer=("number:.2g", "adjusted", "Shaffer"),
        bergmann_hommel=("number:.2g", "adjusted", "Bergmann-Hommel"),
        wilcoxon=("number:.2g", "p-value of the signed-rank test, not adjusted", "Wilcoxon"),
        first_better=("number", "probability, Bayesian signed-rank test"),
        equivalent=("number", "probability that they differ by 0.01 at most"),
        second_better=("number", "probability"),
        not_told=("text", "why these three are missing: fewer than five data sets; else empty"),
    ),
    table(
        "pairwise_within",
        "every pair of classifiers compared over the folds of each data set",
        "a data set and pair",
        "dataset folds",
        _PAIR,
        alternative=("text", "direction of the sorted-runs test"),
        sorted_runs=("number:.2g", "one-sided p-value in that direction", "sorted runs, p"),
        corrected_t=("number:.2g", "p-value of the corrected resampled t-test", "corrected t, p"),
        lower=("number", "of the 95 % interval of the difference"),
        upper=("number", "of the 95 % interval of the difference"),
    ),
    table(
        "seconds",
        "time to fit and to predict",
        "a classifier",
        "dataset folds classifier",
        fit_seconds=("number", "median over folds"),
        predict_seconds=("number", "median over folds"),
    ),
    table(
        "problems",
        "fits that failed and warnings",
        "a failed fit or a warning",
        "dataset folds classifier repeat fold",
        kind=("text", "error or warnings", "what"),
        text=("text", "", "message"),
    ),
)


#: What a permutation test of a classifier on a data set yields.
PERMUTATION_TABLES = named(
    table(
        "permutation_scores",
        "scores of a cross-validation on the true and on permuted labels",
        "a permutation",
        permutation=("integer", "0 is the true labels"),
        accuracy=("number", "of the predictions of all folds together"),
        balanced_accuracy=("number", "likewise"),
    ),
    table(
        "permutation",
        "whether permuted labels are predicted as well as the true ones",
        "a metric",
        _PERMUTATION_TEST,
    ),
)


#: What the stage *describe* writes for a study, each as Parquet and TSV: what a page draws of
#: single features and samples.
DESCRIPTION_TABLES = named(
    table(
        "profiles",
        "whether a class is high or low in the features selected for it",
        "a class and feature",
        "dataset folds classifier class feature",
        direction=("text", "high, low, between or equal: the class against every other one"),
        median_inside=("number", "of the class"),
        median_outside=("number", "of all other samples; missing with one class"),
        constant=("boolean", "whether the class has one value only"),
        dependence_group=("text", "a letter that features which depend on one another share"),
        symbol=("text", "of the feature's gene; empty without"),
    ),
    table(
        "class_distances",
        "mean distance of a class from another in a feature",
        "a class, feature and other class",
        "dataset folds classifier class feature other_class",
        distance=("number:.2f", "mean over the folds that tell"),
        fits=("integer", "how many folds tell"),
    ),
    table(
        "dependent_pairs",
        "selected features that depend on one another given the class",
        "a pair of features",
        "dataset folds classifier feature",
        other=("text", "", "depends on"),
        r=("number", "Pearson's correlation of the residuals from the class means"),
    ),
    table(
        "densities",
        "the densities of the features selected most often",
        "a class, feature and point",
        "dataset folds classifier class feature",
        x=("number", "in the feature's unit"),
        density=("number", "per unit of x"),
        estimator=("text", "how it is estimated"),
        own=("boolean", "whether the classifier itself estimates it so"),
    ),
    table(
        "values",
        "the values of the same features",
        "a feature and sample",
        "dataset folds classifier feature sample class",
        value="number",
    ),
    table(
        "priors",
        "what a class has before any feature speaks, in the first repeat's folds",
        "a fold and class",
        "dataset folds classifier repeat fold class",
        log_prior=("number", "-inf for a class that was absent from training"),
        intercept=("number", "of the classifier's calibration, in nats; 0 without one"),
        log_offset=("number", "log prior and intercept together"),
    ),
    table(
        "evidence",
        "what each selected feature says for or against a class, of samples of the first repeat",
        "a tested sample, class and feature",
        "dataset folds classifier repeat fold sample class feature",
        log_likelihood=("number", "as the classifier has it"),
        log_reference=(
            "number",
            "log density in all classes together; 0 where evidence is told; missing if untold",
        ),
        evidence=("number", "the one less the other, in nats; missing if untold"),
    ),
    table(
        "scores",
        "what all features of a class say together of a sample, where evidence is told",
        "a tested sample and class",
        "dataset folds classifier repeat fold sample class",
        evidence=("number", "sum over features"),
        log_reference=("number", "sum over features"),
    ),
)


#: What is told of a classifier fitted on all samples, each as Parquet and TSV.
MODEL_TABLES = named(
    table(
        "signature",
        "the features that speak for each class, in the classifier fitted on all samples",
        "a class and feature",
        **{"class": ("text", "the class that the feature speaks for")},
        rank=("integer", "its place among the class's features, 1 the best"),
        feature=("text", "its name in the series"),
        symbol=("text", "gene symbol, where the series knows it"),
        direction=("text", "high, low, between or equal: the class against every other one"),
        share_of_folds=(
            "number:.0%",
            "share of cross-validation fits that select it for the class",
        ),
        interchangeable=("text", "features that tell the class apart as well, by spaces"),
        weight=(
            "number:.2g",
            "what the classifier multiplies its evidence by; missing where all weigh the same",
        ),
        core=("boolean", "whether it is in the core set, the short list to measure"),
        median_in=("number:.4g", "median within the class"),
        lower_in=("number", "lower quartile within the class"),
        upper_in=("number", "upper quartile within the class"),
        median_out=("number:.4g", "median of all other samples"),
        lower_out=("number", "their lower quartile"),
        upper_out=("number", "their upper quartile"),
        **{"distance_to.{class}": ("number:.2f", "missing for the class itself", "to {class}")},
    ),
    table(
        "heatmap",
        "the best features of the signature in each sample, ordered to be drawn",
        "a feature and sample",
        row=("integer", "place of the feature, from 0: neighbours are alike"),
        feature="text",
        symbol=("text", "gene symbol, where the series knows it"),
        column=("integer", "place of the sample, from 0: class after class"),
        sample="text",
        **{"class": ("text", "of the sample")},
        z=("number", "value less the feature's mean, in its standard deviations"),
    ),
)

_COHORTS = columns(
    "model",
    train=("text", "the data set that it was fitted on", "trained on"),
    test=("text", "the data set that it was tested on", "tested on"),
    match=("text", "how features are taken for the same: feature or symbol"),
    harmonise=(
        "text",
        "what is done to each sample first: none, zscore, rank or quantile",
        "harmonised",
    ),
)
_COHORT = ("text", "train or test; train means cross-validated")

#: What a model of one cohort is worth in another, each as Parquet and TSV.
VALIDATION_TABLES = named(
    table(
        "accuracy",
        "accuracy in the other cohort, beside that of cross-validation in its own",
        "a pair of cohorts, and which of them",
        _COHORTS,
        cohort=_COHORT,
        right=("integer", "samples"),
        n=("integer", "samples that are tested; 0 where a class is too small for folds", "samples"),
        value=("number:.0%", "their share", "accuracy"),
        lower=("number:.0%", "of its 95 % interval"),
        upper=("number:.0%", "of its 95 % interval"),
        majority=("number:.0%", "share of the largest class, which always naming it has right"),
        claimed=(
            "number:.0%",
            "mean probability of the predicted class, where there are any",
            "mean predicted probability",
        ),
    ),
    table(
        "recall",
        "how many samples of each class are recognised in either cohort",
        "a pair, cohort and class",
        _COHORTS,
        cohort=_COHORT,
        **{"class": "text"},
        right=("integer", "samples"),
        n=("integer", "of the class", "samples"),
        value=("number:.0%", "their share", "recall"),
        lower=("number:.0%", "of its 95 % interval"),
        upper=("number:.0%", "of its 95 % interval"),
    ),
    table(
        "confusion",
        "how often a sample of one class is taken for another, in the test cohort",
        "a pair and two classes",
        _COHORTS,
        "true predicted",
        count="integer",
    ),
    table(
        "predictions",
        "what each sample of the test cohort was taken for",
        "a pair and sample",
        _COHORTS,
        "sample true predicted",
        **{"probability.{class}": ("number", "missing without probabilities")},
        typicality=("number", "share of held-out training samples that are less typical"),
        atypical=("boolean", "whether that is below 1 %"),
    ),
    table(
        "calibration",
        "predicted probability against observed frequency, in test cohorts of 30 samples or more",
        "a pair and bin of predicted probability",
        _COHORTS,
        bin=("integer", "from 0"),
        mean_predicted=("number", "missing where the bin is empty"),
        observed=("number", "share that is right; missing likewise"),
        observed_lower=("number", "its 95 % interval"),
        observed_upper=("number", "its 95 % interval"),
        count=("integer", "predictions in the bin"),
    ),
    table(
        "densities",
        "the densities of the signature's features in both cohorts, after harmonisation",
        "a pair, feature, cohort, class and point",
        _COHORTS,
        "feature",
        symbol=("text", "gene symbol, where the training series knows it"),
        cohort=("text", "train or test"),
        **{"class": "text"},
        x="number",
        density=("number", "Gaussian kernels, Silverman's bandwidth"),
    ),
    table(
        "signatures",
        "how far the signatures of the two cohorts agree",
        "a pair and class",
        _COHORTS,
        "class",
        size_first=(
            "integer",
            "features of the training cohort's signature",
            "selected in training",
        ),
        size_second=(
            "integer",
            "of the test cohort's, fitted on it for this comparison",
            "selected in test",
        ),
        shared=("integer", "features in both", "in both"),
        expected=("number:.2g", "features in both by chance", "by chance"),
        p=("number:.2g", "of at least so many by chance (hypergeometric)"),
        same_direction=("integer", "of the shared ones"),
        rank_correlation=("number", "Spearman's, of all features' distances in either cohort"),
    ),
    table(
        "verdicts",
        "whether a signature held in the other cohort",
        "a pair",
        _COHORTS,
        verdict=(
            "text",
            "held, held in part, did not hold, cannot tell, labels look exchanged, shares samples",
        ),
        sentence=("text", "the same in words, with numbers"),
        rule=("text", "what the verdict means"),
        features=("integer", "that both cohorts have"),
        p_value=("number:.3g", "of the balanced accuracy, by permuted labels of the test cohort"),
        loss=("number", "balanced accuracy in the test cohort less that of cross-validation"),
        loss_lower=("number", "of its 95 % interval"),
        loss_upper=("number", "of its 95 % interval"),
        notes=("text", "on scale and typicality, separated by semicolons"),
    ),
)


def analysis_tables(module: str) -> Mapping[str, TableSchema]:
    """Return the tables of an analysis, as ``TABLES`` of its module ``contract`` declares them."""
    return importlib.import_module(module).TABLES
