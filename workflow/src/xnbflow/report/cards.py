"""A card for each data set: verdict, features, the most serious finding, and what to do next.

`card` collects these from the tables of a study. `xnbflow.report.card_numbers` has the numbers,
`xnbflow.report.card_features` chooses the features, `xnbflow.report.sentences` writes the
sentences.
"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from xnbflow.core.natural_order import natural_key
from xnbflow.core.nouns import counted
from xnbflow.inference.estimates import MISSED_RECALL
from xnbflow.report import few_units
from xnbflow.report.card_features import FeatureLists, card_features, feature_lists
from xnbflow.report.card_numbers import (
    difference_tiles,
    estimate_facts,
    estimate_tiles,
    selection_facts,
    selection_tiles,
)
from xnbflow.report.findings import finding_in_short
from xnbflow.report.levels import LEVEL_STYLES, SUPPORTED
from xnbflow.report.next_steps import next_steps
from xnbflow.report.numbers import capitalized
from xnbflow.report.page.blocks import Card, ClassLine, Figure
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.audit import most_serious
from xnbflow.report.sections.signature import core_boxes, heatmap_figure
from xnbflow.report.sentences import (
    level_of,
    priors_sentence,
    reasons_against,
    tests_sentence,
    verdict_sentence,
)
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("cards")
#: Share of random signatures as accurate as the selected features; above it a card has a caution.
_MANY_RANDOM = 0.05
#: Random signatures are near the selected features if they reach this share of their gain.
_NEAR_SELECTED = 0.5
#: The caption of the cards of a study, and of those whose classifier selects no features.
CAPTION = _TEXTS["caption"]
NO_FEATURES = _TEXTS["no_features"]
#: The caption of the cards of data sets with too few units, whose features are tested one by one.
TESTED_FEATURES = _TEXTS["few_units"]


def card(results: StudyResults, dataset: str, folds: str, classifier: str) -> Card:
    """Return the card of a classifier on one data set and scheme of folds.

    A data set with too few units has the same card, led by the tests of its features
    (`xnbflow.report.few_units`).
    """
    # What the tables of the study have about this evaluation.
    evaluation = {"dataset": dataset, "folds": folds, "classifier": classifier}
    noun = results.noun(dataset)
    estimates = results.rows("estimates", **evaluation, folds_failed=0).set_index("metric")
    recalls = results.rows("estimates", **evaluation, metric="recall")
    stability = results.rows("stability", **evaluation).set_index("class")
    description = results.rows("datasets", dataset=dataset).iloc[0]
    finding = most_serious(results, dataset)
    level = level_of(results, evaluation)
    random_signatures = _random_signatures(results, evaluation, supported=level in SUPPORTED)
    few = few_units.few_units(results, dataset)

    # Its features, and what their shares are of: folds, or disjoint halves.
    features = card_features(results, evaluation)
    lists = feature_lists(results, evaluation, features, recalls["class"].tolist())
    shares = features["of"].unique().tolist()

    # What makes the result or its features doubtful, the gravest first. Where there are too few
    # units, this is the reason already.
    warnings = []
    if few is None:
        if finding is not None:
            warnings.append(f"{finding.short} See the audit.")
        warnings += _doubts(lists, noun)
    if random_signatures and random_signatures.are_many and len(features):
        warnings.append(random_signatures.sentence)

    # The sentences that open on demand.
    next_step = _next_step(results, evaluation)
    details = {
        "Tests": tests_sentence(results, evaluation),
        f"Random {noun}s": random_signatures.sentence if random_signatures else "",
        "Audit": finding.sentence if finding is not None else "",
        "Next": next_step,
    }

    shown = Card(
        # The verdict.
        title=results.with_folds(dataset, folds),
        note=_size_in_words(description, noun, results.unit_noun(dataset)),
        badge=capitalized(level),
        level=LEVEL_STYLES[level],
        verdict=verdict_sentence(results, evaluation),
        short_reason=_short_reason(results, evaluation, level),
        rule="rule",  # the anchor of the rule, in the section of the answer
        # The numbers.
        tiles=[
            *estimate_tiles(estimates),
            *selection_tiles(results, evaluation, features, stability),
            *difference_tiles(results, dataset),
        ],
        facts=estimate_facts(estimates) | selection_facts(results, evaluation, stability),
        lines=_class_lines(results, evaluation, recalls, lists),
        # The features.
        noun=noun,
        features_heading=lists.heading,
        feature_rows=lists.rows,
        feature_items=lists.items,
        features_rest=lists.rest,
        feature_notes=lists.notes,
        share_of=shares[0] if len(shares) == 1 else "",
        figure=_card_figure(results, evaluation, features),
        # Doubts, and what to do.
        warnings=warnings,
        next_step=next_step,
        details={heading: text for heading, text in details.items() if text},
        anchor=f"card-{dataset}-{folds}",
    )
    return shown if few is None else _card_of_few(results, dataset, shown, few)


def _next_step(results: StudyResults, evaluation: dict[str, str]) -> str:
    """Return what to do next in one sentence; empty if there is nothing."""
    steps = "; ".join(next_steps(results, evaluation))
    return f"{capitalized(steps)}." if steps else ""


def _doubts(lists: FeatureLists, noun: str) -> list[str]:
    """Return a sentence on each reason for which differences of the listed features are doubtful.

    Examples
    --------
    >>> from xnbflow.report.page.blocks import GeneRow
    >>> rows = [GeneRow(name="g1", note="too few reads"), GeneRow(name="g2")]
    >>> _doubts(FeatureLists(rows=rows, heading=""), "gene")
    ['1 of the 2 genes shown: too few reads.']
    >>> _doubts(FeatureLists(rows=rows[:1], heading=""), "gene")
    ['All genes shown: too few reads.']
    """
    sentences = []
    for reason, n_rows in Counter(row.note for row in lists.rows if row.note).items():
        concerned = f"{n_rows} of the {counted(len(lists.rows), noun)}"
        if n_rows == len(lists.rows):
            concerned = f"All {noun}s"
        sentences.append(f"{concerned} shown: {reason}.")
    return sentences


def _card_of_few(results: StudyResults, dataset: str, shown: Card, few: few_units.FewUnits) -> Card:
    """Return a card that leads with the tests of features, of a data set with too few units.

    What the classifier reached opens on demand.
    """
    rows = few_units.first_tested(results, dataset)
    if not rows:
        return replace(shown, badge=few.badge, short_reason=few.reason, lines=[])
    return replace(
        shown,
        badge=few.badge,
        short_reason=few.reason,
        lines=[],
        tiles=few_units.tested_tiles(results, dataset),
        features_heading=few_units.heading(results, dataset),
        feature_rows=rows,
        feature_items=[],
        features_rest="",
        feature_notes=[],
        share_of="",
        features_are_tested=True,
        figure=few_units.volcano(results, dataset),
    )


def _size_in_words(
    description: pd.Series, feature_noun: str = "feature", unit_noun: str = "group"
) -> str:
    """Return the size of a data set in words, from its row of the table ``datasets``."""
    groups = ""
    if pd.notna(description["groups"]):
        groups = f" of {counted(int(description['groups']), unit_noun)}"
    parts = [
        f"{counted(description['samples'], 'sample')}{groups}",
        counted(description["features"], feature_noun),
        counted(description["classes"], "class"),
    ]
    if description["missing"]:
        parts.append("missing values filled in")
    return ", ".join(parts)


def _class_lines(
    results: StudyResults,
    evaluation: dict[str, str],
    recalls: pd.DataFrame,
    lists: FeatureLists,
) -> list[ClassLine]:
    """Return the line of each class: its recall, its features, and why these are unreliable."""
    if recalls.empty:  # no fold could be fitted
        return []
    balanced = results.rows("estimates", **evaluation, metric="balanced_accuracy").iloc[0].to_dict()
    sizes = results.rows("class_sizes", dataset=evaluation["dataset"])
    shares = sizes.set_index("class")["samples"] / sizes["samples"].sum()
    notes = results.rows("stability", **evaluation).set_index("class")["note"]
    lines = []
    for recall in sorted(recalls.to_dict("records"), key=lambda row: natural_key(row["class"])):
        label = recall["class"]
        line = ClassLine(
            name=label,
            note=f"n = {recall['samples']:,}",
            share=recall["estimate"],
            lower=recall["lower"],
            upper=recall["upper"],
            items=lists.items_of_class.get(label, []),
            rest=lists.rest_of_class.get(label, ""),
            warning=_class_warning(
                recall,
                notes.get(label, ""),
                priors_sentence(recall, balanced, shares.get(label, np.nan)),
            ),
        )
        lines.append(line)
    return lines


def _class_warning(recall: dict[str, object], note: str, priors: str = "") -> str:
    """Return why the features of a class are unreliable; empty if they are reliable.

    Parameters
    ----------
    recall : dict
        The row of the class in the table ``estimates``: ``above`` is whether the class is
        recognised, ``taken_for`` the class for which it is most often mistaken.
    note : str
        The note on the class in the table ``stability``.
    priors : str
        The sentence of `priors_sentence`.
    """
    if note == "one sample":
        return "A single sample: this class cannot be learned."
    if not recall["above"]:
        estimate = float(recall["estimate"])  # type: ignore[arg-type]
        reason = "Not recognised more often than by chance"
        if estimate == 0:
            reason = "Never recognised"
        elif estimate > MISSED_RECALL:
            reason = (
                "Not shown to be recognised: by the 95% interval as many of the other samples may "
                "be taken for it"
            )
        if recall["taken_for"]:
            reason += f"; most often mistaken for “{recall['taken_for']}”"
        return " ".join(filter(None, [f"{reason}.", priors]))
    if note == "constant":
        return "Selected because a class hardly varies in them: see the densities."
    return ""


def _short_reason(results: StudyResults, evaluation: dict[str, str], level: str) -> str:
    """Return the main reason of a verdict in one short sentence, and one on small classes."""
    against = reasons_against(results, evaluation)
    reason = ""
    if level == "well supported":
        reason = results.with_noun(_TEXTS["supported"], evaluation["dataset"])
    if against:
        n_others = len(against) - 1
        rest = f" ({counted(n_others, 'further reason')} below)" if n_others else ""
        reason = f"{capitalized(against[0])}{rest}."
    return " ".join(filter(None, [reason, _small_classes(results, evaluation)]))


def _small_classes(results: StudyResults, evaluation: dict[str, str]) -> str:
    """Return a sentence on pairs of classes that are too small to be judged; empty without."""
    rows = results.rows("findings", **evaluation, kind="small classes")
    if rows.empty:
        return ""
    row = rows.iloc[0]
    if row["count"] < row["total"]:
        return finding_in_short(row.to_dict())
    unit = results.unit_noun(evaluation["dataset"])
    return f"Each class has {row['detail']} {unit}s: too few to judge pairs of classes."


@dataclass(frozen=True)
class _RandomSignatures:
    """A sentence on random signatures that are as accurate, and whether these are many."""

    sentence: str
    are_many: bool


def _random_signatures(
    results: StudyResults, evaluation: dict[str, str], *, supported: bool
) -> _RandomSignatures | None:
    """Return the comparison with random signatures; None where none was made.

    Without a signal random signatures are as accurate as any others, which means nothing: there is
    no caution then. Nor is there a comparison where the selected features are not better than
    chance in Gaussian naive Bayes.
    """
    rows = results.rows(
        "random_genes", dataset=evaluation["dataset"], classifier=evaluation["classifier"]
    )
    if rows.empty:
        return None
    row = rows.iloc[0]
    if row["selected_score"] <= row["chance"]:
        return None
    noun = results.noun(evaluation["dataset"])
    sentence = (
        f"{row['as_good_random']} of {row['signatures']} random signatures of equal size are as "
        f"accurate as the selected {noun}s in Gaussian naive Bayes (balanced accuracy "
        f"{row['selected_score']:.1%})"
    )
    # Random signatures carry the signal if nearly all are better than chance, and their mean
    # has at least half of the gain of the selected features.
    are_as_good = row["as_good_random"] > _MANY_RANDOM * row["signatures"]
    are_above_chance = row["random_05"] > row["chance"]
    random_gain = row["random_mean"] - row["chance"]
    selected_gain = row["selected_score"] - row["chance"]
    are_near = random_gain >= _NEAR_SELECTED * selected_gain
    are_many = bool(supported and are_as_good and are_above_chance and are_near)
    if are_many:
        sentence += f": many {noun}s carry this signal, and this list is one of many"
    return _RandomSignatures(f"{sentence}.", are_many)


def _card_figure(
    results: StudyResults, evaluation: dict[str, str], features: pd.DataFrame
) -> Figure | None:
    """Return the heat map of the core set, or the points of its only feature.

    The result is None without a core set, and on cards of further schemes of folds.
    """
    dataset = evaluation["dataset"]
    classifier = evaluation["classifier"]
    if not features["core"].any() or evaluation["folds"] != results.study.folds[0]:
        return None
    tables = results.tables_of("model", dataset=dataset, classifier=classifier)
    core = features.loc[features["core"].astype(bool), "feature"]
    cells = tables["heatmap"]
    cells = cells[cells["feature"].isin(core)]
    if cells["row"].nunique() < 2:
        boxes = core_boxes(results, dataset, classifier, most=1)
        caption = f"The core {results.noun(dataset)}: samples, quartiles and median of each class."
        return replace(boxes[0], name=f"{boxes[0].name}-card", caption=caption) if boxes else None
    # The heat map of the model has rows of other features between these.
    row_numbers = np.unique(cells["row"], return_inverse=True)[1]
    cells = _in_natural_order(cells)
    return heatmap_figure(
        name=f"core-{dataset}-{classifier}",
        cells=cells.assign(row=row_numbers),
        caption=results.with_noun(_TEXTS["core_heatmap"], dataset),
        sources=tables.sources("heatmap"),
        n_samples=int(results.rows("datasets", dataset=dataset)["samples"].iloc[0]),
        phenotype=results.tables_of("audit", dataset=dataset)["samples"],
        noun=results.noun(dataset),
    )


def _in_natural_order(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of a heat map with the classes side by side as C1, C2, ..., C10.

    Examples
    --------
    >>> cells = pd.DataFrame({"class": ["C10", "C2"], "column": [0, 1]})
    >>> _in_natural_order(cells)["column"].tolist()
    [1, 0]
    """
    columns = cells.drop_duplicates("column").sort_values("column")
    columns = columns.sort_values(
        "class", key=lambda labels: labels.map(natural_key), kind="stable"
    )
    position = dict(zip(columns["column"], range(len(columns)), strict=True))
    return cells.assign(column=cells["column"].map(position))
