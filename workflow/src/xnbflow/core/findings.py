"""Findings: what is known against a result, with the level that each allows. One closed list.

A finding has a code, and a kind where one code has several sentences. It concerns a data set (a
column, repeats, values, samples) or a classifier on it (chance, a class that is not recognised, an
unstable selection, a second cohort). A *warning* allows the level of its kind at most; a *notice*
limits nothing. The verdict on a classifier is the lowest level that a finding of the classifier or
of its data set allows.

To add a finding, add its kind to `KINDS`, and make it where it is computed.
`xnbflow.report.findings` joins the sentences of several findings, and makes the tables of the page
on verdicts when the site is built.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any, Literal

VerdictLevel = Literal["well supported", "partly supported", "cannot be judged", "not supported"]
Severity = Literal["warning", "notice"]

#: The levels of verdicts, the best first.
VERDICT_LEVELS: tuple[VerdictLevel, ...] = (
    "well supported",
    "partly supported",
    "cannot be judged",
    "not supported",
)


@dataclass(frozen=True, kw_only=True)
class FindingKind:
    """What a finding of one code and kind is: a row of the table of the documentation.

    Attributes
    ----------
    allows : VerdictLevel or ""
        The best level of a result with a warning of this kind; empty if it limits none.
    condition : str
        When there is such a finding.
    sentence : str
        A clause without a full stop. Names in braces are columns of the table ``findings``;
        ``{noun}`` is "gene" or "feature".
    advice : str
        The next step, with the same names; empty if there is none of its own.
    """

    allows: VerdictLevel | Literal[""] = ""
    condition: str
    sentence: str
    advice: str = ""


_COPIES = (
    "{count:.0f} of {total:.0f} samples are copies of others, or nearly, and known from training"
)
_LEAVE_COPIES_OUT = "leave copies of samples out, or keep them together in folds (group)"
_PATIENTS = (
    "{count:.0f} of {total:.0f} samples are probably of the same patients as others, which "
    "training and test share"
)
_NAME_PATIENTS = (
    "name the patients of the samples by group (the table `components` proposes groups)"
)
_ADJUST = "to compare {noun}s within it, write `adjust: [{other}]` in the design of the study"
_NOT_SEPARATED = "the class cannot be separated from “{subject}”"
_NOT_EXAMINED = "the class cannot be examined within “{subject}”"

#: Every kind of finding by code and kind, in the order in which findings are shown.
KINDS: dict[tuple[str, str], FindingKind] = {
    ("not fitted", ""): FindingKind(
        allows="not supported",
        condition="a fold failed",
        sentence="it could not be fitted in {count:.0f} of {total:.0f} folds",
        advice="correct what the failed folds report",
    ),
    ("chance", "interval"): FindingKind(
        allows="not supported",
        condition=(
            "the 95% interval of the balanced accuracy (the mean recall of the classes) is not "
            "above one over the number of classes"
        ),
        sentence=(
            "the 95% interval of its balanced accuracy, {lower:.1%} to {upper:.1%}, is not above "
            "chance ({limit:.1%})"
        ),
        advice="add samples",
    ),
    ("chance", "label test"): FindingKind(
        allows="not supported",
        condition="p of the label test is above .025",
        sentence="the label test does not exclude chance",
        advice="add samples",
    ),
    ("repeats", "many copies"): FindingKind(
        allows="not supported",
        condition=(
            "a tenth of the samples are exact copies, or half are near copies (correlation .95), "
            "that folds do not keep together"
        ),
        sentence=_COPIES,
        advice=_LEAVE_COPIES_OUT,
    ),
    ("column", "not separated"): FindingKind(
        allows="cannot be judged",
        condition=(
            "a column of the samples goes with the class (p ≤ .2), and the class is not "
            "recognised within its levels (p > .05)"
        ),
        sentence=_NOT_SEPARATED,
    ),
    ("column", "not examined"): FindingKind(
        allows="cannot be judged",
        condition="such a column, of which fewer than ten pairs of samples share a level",
        sentence=_NOT_EXAMINED,
    ),
    ("repeats", "many patients"): FindingKind(
        allows="cannot be judged",
        condition=(
            "half of the samples are probably of the same patients as others of their class, "
            "and no column names the patients"
        ),
        sentence=_PATIENTS,
        advice=_NAME_PATIENTS,
    ),
    ("column", "batch of one class"): FindingKind(
        allows="cannot be judged",
        condition="a column that describes a batch has values in one class alone",
        sentence=(
            "“{subject}” is recorded in “{detail}” alone, so that these samples were processed "
            "apart from the others"
        ),
        advice="record “{subject}” for all samples",
    ),
    ("selection", "corrected with class"): FindingKind(
        allows="cannot be judged",
        condition=(
            "given the class, a column explains less of the variance than by chance: its effect "
            "was removed with the class in the model"
        ),
        sentence=(
            "the effect of “{subject}” was removed with the class in the model: given the class, "
            "it explains {estimate:.1%} of the variance that it explains by chance"
        ),
        advice=(
            "use the table before the correction for “{subject}”: one that retains the difference "
            "of the classes also makes one where columns go with the class"
        ),
    ),
    ("selection", "chosen features"): FindingKind(
        allows="cannot be judged",
        condition=(
            "at most .5% of the features have p above one half in the test of the classes (a "
            "notice up to 5%)"
        ),
        sentence=(
            "the {noun}s were probably chosen with the labels: {estimate:.1%} of {total:,.0f} have "
            "p > .5 between the classes, where half have without a difference"
        ),
        advice="use the table of all {noun}s: a choice by the labels belongs inside the folds",
    ),
    ("selection", "normalised by class"): FindingKind(
        allows="cannot be judged",
        condition="the sorted values of the samples of each class are equal, and differ by class",
        sentence="the samples of each class were normalised by themselves",
        advice="normalise all samples together, or each by itself",
    ),
    ("units", ""): FindingKind(
        allows="cannot be judged",
        condition="a classifier without error is not supported by so few samples, or patients",
        sentence=(
            "{count:.0f} {subject} are too few to judge any classifier: p of the label test cannot "
            "be below {p:.2g}, or no interval is above chance"
        ),
        advice=(
            "add samples: {total:.0f} {subject} in each class suffice for a classifier without "
            "error; tests of single {noun}s need fewer"
        ),
    ),
    ("values", "explain result"): FindingKind(
        allows="cannot be judged",
        condition="a classifier of the values that were not measured is as good",
        sentence=(
            "the values that were not measured recognise the class as well as the {noun}s do "
            "(balanced accuracy {estimate:.1%})"
        ),
    ),
    ("chance", "majority class"): FindingKind(
        allows="partly supported",
        condition="the interval of the accuracy is not above the share of the largest class",
        sentence="the interval of its accuracy is not above the majority-class rate",
    ),
    ("class not recognised", "class"): FindingKind(
        allows="partly supported",
        condition=(
            "recall not above one half, or not above the share of other samples that are mistaken "
            "for the class"
        ),
        sentence="“{class}” is not recognised",
    ),
    ("class not recognised", "pair"): FindingKind(
        allows="partly supported",
        condition="of several classes: the interval of the AUC of a pair contains one half",
        sentence="it is not shown to distinguish “{class}” and “{other}”",
    ),
    ("column", "pair not separated"): FindingKind(
        allows="partly supported",
        condition="a column explains the difference of some pairs of several classes",
        sentence=_NOT_SEPARATED,
    ),
    ("column", "pair not examined"): FindingKind(
        allows="partly supported",
        condition="such a pair, of which fewer than ten pairs of samples share a level",
        sentence=_NOT_EXAMINED,
    ),
    ("repeats", "copies"): FindingKind(
        allows="partly supported",
        condition="exact copies, or a tenth of near copies",
        sentence=_COPIES,
        advice=_LEAVE_COPIES_OUT,
    ),
    ("repeats", "patients"): FindingKind(
        allows="partly supported",
        condition="a tenth of the samples are probably of the same patients as others",
        sentence=_PATIENTS,
        advice=_NAME_PATIENTS,
    ),
    ("values", "library size"): FindingKind(
        allows="partly supported",
        condition=(
            "libraries of counts have three times the size in a class (a notice from 1.5 times "
            "on, and where counts are normalised in each fold)"
        ),
        sentence=(
            "the class can be recognised by the library size: libraries of “{class}” have "
            "{estimate:.1f} times the reads of “{other}”"
        ),
        advice="normalise the counts in each fold (transform: tmm)",
    ),
    ("values", "missing"): FindingKind(
        allows="partly supported",
        condition="missing values go with the class (a notice below 1% of the values)",
        sentence=(
            "the class can be recognised by missing values: their share in “{class}” and in "
            "“{other}” differs by {estimate:.1%} of the values"
        ),
        advice="compare the classes in features without missing values (missing: drop_features)",
    ),
    ("values", "detection limit"): FindingKind(
        allows="partly supported",
        condition="values at a detection limit go with the class (a notice below a tenth of them)",
        sentence=(
            "the class can be recognised by values at a detection limit: their share in “{class}” "
            "and in “{other}” differs by {estimate:.1%} of the values"
        ),
        advice="compare the classes in features that are above the detection limit in all samples",
    ),
    ("unstable", "most features"): FindingKind(
        allows="partly supported",
        condition="half of the features are in the short lists, and these do not replicate",
        sentence=(
            "most {noun}s are in the short lists ({count:,.0f} of {total:,.0f}), so that halves of "
            "the samples cannot show which of them matter"
        ),
        advice="add samples: with these most {noun}s are selected",
    ),
    ("unstable", "not replicated"): FindingKind(
        allows="partly supported",
        condition=(
            "of a class's first ten features in half of the samples, fewer than half differ in the "
            "other half (one-sided p < .05, corrected for the share of all features that do)"
        ),
        sentence=(
            "its first {noun}s do not replicate: {estimate:.0%} of those of half of the samples "
            "differ in the other half, beyond chance"
        ),
        advice="add samples: the first {noun}s of half of these do not hold in the other half",
    ),
    ("unstable", "not tested"): FindingKind(
        allows="partly supported",
        condition="a classifier that selects features was not fitted to halves",
        sentence="the stability of its {noun}s was not tested",
    ),
    ("cohort", "not held"): FindingKind(
        allows="partly supported",
        condition="it did not hold in a second cohort, or another series, or labels look exchanged",
        sentence="it did not hold in the second cohort {subject}",
        advice="find out why it did not hold in the second cohort {subject}",
    ),
    ("cohort", "held in ranking"): FindingKind(
        allows="partly supported",
        condition="its ranking held there, and its threshold did not (choose another one)",
        sentence="its threshold did not hold in the second cohort {subject}, where its ranking did",
        advice=(
            "find out why its threshold did not hold in the second cohort {subject}, where its "
            "ranking did"
        ),
    ),
    ("repeats", "equal samples"): FindingKind(
        condition="all values of two samples are the same",
        sentence="samples {subject} and {other} have the same values",
    ),
    ("repeats", "near copies"): FindingKind(
        condition="the residuals of two samples correlate by .95",
        sentence=(
            "samples {subject} and {other} are far more alike than either is to any other "
            "(correlation {estimate:.2f} after centring each feature)"
        ),
    ),
    ("repeats", "replicates"): FindingKind(
        condition="two samples are far more alike than others; a notice",
        sentence=(
            "samples {subject} and {other} are far more alike than either is to any other "
            "(correlation {estimate:.2f} after centring each feature)"
        ),
    ),
    ("repeats", "two series"): FindingKind(
        condition="one sample is in two series of the study",
        sentence=(
            "“{subject}” and “{other}” are the same sample in two series, by {detail}, so that "
            "these are not independent"
        ),
    ),
    ("samples", "sex differs"): FindingKind(
        condition="the genes of X and Y contradict the recorded sex of a sample",
        sentence=(
            "sample “{subject}”: “{other}” is {detail}, but XIST and the genes of the Y chromosome "
            "are as in the other sex: the sample may be exchanged with another"
        ),
        advice="check the samples whose recorded sex does not fit",
    ),
    ("samples", "sex not shown"): FindingKind(
        condition="the genes of X and Y do not follow the recorded sex",
        sentence="the genes of the sex chromosomes do not follow “{subject}”",
        advice="check the values of “{subject}”",
    ),
    ("values", "scale"): FindingKind(
        condition="values are no logarithms, or of two scales",
        sentence="{detail}",
        advice="correct the scale of the values",
    ),
    ("values", "direction"): FindingKind(
        condition="values are threshold cycles of PCR: a low one means high expression",
        sentence="{detail}; fold changes and directions of {noun}s are reversed",
        advice="give -ΔCt in place of the cycles, with scale: log2",
    ),
    ("values", "global shift"): FindingKind(
        condition="most features are higher or lower in a class (p ≤ .01, median t ≥ 1)",
        sentence=(
            "most {noun}s are {detail}: normalisation, or a few dominating {noun}s"
        ),
        advice="settle why most {noun}s are shifted before reading the list of single {noun}s",
    ),
    ("class not recognised", "small classes"): FindingKind(
        condition=(
            "of several classes: pairs of classes so small that one wrong sample decides (fewer "
            "than about ten samples or patients); a notice"
        ),
        sentence=(
            "{count:.0f} of {total:.0f} pairs of classes cannot be judged, because the smaller "
            "class has {detail} samples"
        ),
    ),
    ("column", "separates classes"): FindingKind(
        condition="each value of a column is of one class",
        advice=_ADJUST,
        sentence=(
            "“{subject}” separates classes completely, so that a classifier may recognise it "
            "instead of the class"
        ),
    ),
    ("column", "associated"): FindingKind(
        condition="a column goes with the class (p ≤ .05 by Holm)",
        advice=_ADJUST,
        sentence="“{subject}” differs between the classes",
    ),
    ("values", "predict class"): FindingKind(
        condition="a classifier of the values that were not measured is above chance",
        sentence=(
            "which values are {detail} predicts the class with a balanced accuracy of "
            "{estimate:.0%} (95% interval {lower:.0%} to {upper:.0%}; chance {limit:.0%})"
        ),
    ),
    ("column", "recorded in one class"): FindingKind(
        condition="a column has values in one class alone; a notice",
        sentence=(
            "“{subject}” is recorded in “{detail}” alone, so that it cannot be examined"
        ),
    ),
    ("column", "follow-up"): FindingKind(
        condition="a column is the time to an event, or whether it was seen; a notice",
        sentence=(
            "“{subject}” is follow-up by its name (the time to an event, or whether it was seen: "
            "an outcome, which needs a survival model, and no column to adjust for)"
        ),
    ),
    ("column", "class in other words"): FindingKind(
        condition="each value of a column is like its class; a notice",
        sentence="“{subject}” is the class in other words, so it is not a confounder",
    ),
    ("column", "component"): FindingKind(
        condition="a principal component of the samples follows a column; a notice",
        sentence=(
            "{subject} of the samples follows “{other}” ({estimate:.0%} of the variance of its "
            "ranks)"
        ),
    ),
    ("samples", "outlier"): FindingKind(
        condition="a sample is far from its class in the first components; a notice",
        sentence=(
            "sample “{subject}” is {estimate:.1f} robust standard deviations from its class in "
            "the first principal components"
        ),
    ),
    ("samples", "group apart"): FindingKind(
        condition="a fifth of a class is far from the others; a notice",
        sentence=(
            "{subject}: {count:.0f} of its {total:.0f} samples are far from the others in the "
            "first components (a group and no outliers, such as a batch or a subtype)"
        ),
    ),
    ("reading", "platform"): FindingKind(
        condition="the platform of a series of GEO; a notice",
        sentence="platform {detail}",
    ),
    ("reading", "processing"): FindingKind(
        condition="how the authors of a series of GEO describe its processing; a notice",
        sentence="processing, by the authors: {detail}",
    ),
    ("reading", "file"): FindingKind(
        condition=(
            "what the reader of a file repaired, left out or recognised, and where the file came "
            "from; a notice"
        ),
        sentence="{detail}",
        advice="{other}",
    ),
}  # fmt: skip
#: The numbers that a finding can have, which are columns of the table ``findings``.
NUMBERS = (
    "estimate",
    "lower",
    "upper",
    "limit",
    "p",
    "p_holm",
    "count",
    "total",
    "genes",
    "genes_adjusted",
)
#: The position of each kind.
_ORDER = {name: position for position, name in enumerate(KINDS)}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A finding on a data set, or on a classifier.

    Attributes
    ----------
    code, kind : str
        A key of `KINDS`.
    severity : "warning" or "notice"
        A notice limits nothing.
    dataset : str
        The data set; of findings on a classifier the table ``findings`` adds it, with the
        classifier.
    subject : str
        A sample, a column, columns together, or a second cohort.
    label, other : str
        The class that it concerns; the second sample, class, series or column.
    detail : str
        An enumeration or a word that the sentence contains.
    numbers : mapping of str to float
        Some of `NUMBERS`: ``estimate`` with the 95% interval ``lower`` and ``upper``; ``limit``,
        with which the estimate or an end of its interval is compared; ``p`` of a test, and
        ``p_holm`` by Holm over the columns of a data set; ``count`` of ``total`` orders of the
        labels, samples, features, folds, or pairs of samples; ``genes`` and ``genes_adjusted``,
        linear features that differ at an FDR below .05, without and with a column in the model.

    Examples
    --------
    >>> finding = Finding(code="repeats", kind="copies", numbers={"count": 2, "total": 24})
    >>> finding.allows, Finding(code="column", kind="follow-up", severity="notice").allows
    ('partly supported', '')
    """

    code: str
    kind: str = ""
    severity: Severity = "warning"
    dataset: str = ""
    subject: str = ""
    label: str = ""
    other: str = ""
    detail: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a code and kind that is no key of `KINDS`, and other numbers than `NUMBERS`."""
        _ = KINDS[self.code, self.kind]
        if unknown := self.numbers.keys() - set(NUMBERS):
            msg = f"a finding has no number {', '.join(sorted(unknown))}"
            raise ValueError(msg)

    @property
    def allows(self) -> VerdictLevel | Literal[""]:
        """The best level that a result with this finding can have; empty if it limits none."""
        return "" if self.severity == "notice" else KINDS[self.code, self.kind].allows

    def columns(self) -> dict[str, Any]:
        """Return the row of the table ``findings``, without the classifier.

        Numbers that a finding does not have are missing.
        """
        texts = dict(vars(self))
        del texts["numbers"]
        numbers = dict.fromkeys(NUMBERS, nan) | dict(self.numbers)
        return {"class": texts.pop("label"), "allows": self.allows, **texts, **numbers}


def lowest(levels: Iterable[VerdictLevel | Literal[""]]) -> VerdictLevel:
    """Return the lowest of several levels, the best one without any; empty ones limit nothing.

    Examples
    --------
    >>> lowest(["partly supported", "not supported", "cannot be judged", ""])
    'not supported'
    >>> lowest([])
    'well supported'
    """
    limiting = [level for level in levels if level]
    return max(limiting, key=VERDICT_LEVELS.index, default=VERDICT_LEVELS[0])


def place_in_order(code: str, kind: str) -> int:
    """Return the position of a kind, by which findings are sorted.

    Examples
    --------
    >>> place_in_order("not fitted", "")
    0
    """
    return _ORDER[code, kind]
