"""The answer: cards with the features, recall and verdict for each class."""

from xnbflow.core.counts import counted, listed
from xnbflow.report.cards import CAPTION, NO_FEATURES, card
from xnbflow.report.page.blocks import Block, Cards, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.cohorts import cohorts_in_words
from xnbflow.report.sections.validation import COHORT_ANCHOR, verdicts_in_words
from xnbflow.report.sentences import COVERAGE, RULE, headline
from xnbflow.studies.sample_errors import MARGIN

__all__ = ["section"]

#: How many are named: data sets, and suspected label errors.
_MOST_NAMED, _MOST_SUSPECTS = 6, 4


def section(results: StudyResults) -> Section | None:
    """Return the study's answer; None for a study without classifiers."""
    if not results.study.classifiers:
        return None
    chosen, sources = results.tables["headline"]["classifier"].iloc[0], results.tables.sources
    rule, files = "rule" if chosen else "", sources("headline", "estimates")
    blocks: list[Block] = []
    if not (chosen and len(results.places) == 1):  # a single card has it all
        blocks.append(Prose(headline(results), "headline", files, rule))
    if elsewhere := verdicts_in_words(results):
        blocks.append(Prose(elsewhere, "headline", rule=COHORT_ANCHOR))
    blocks += cohorts_in_words(results)
    blocks += _artefacts(results)
    if failed := len(results.rows("problems", kind="error")):
        text = f"{counted(failed, 'fit')} failed: see what was run."
        blocks.append(Prose(text, "warning", sources("problems")))
    if chosen:
        cards = [card(results, *place, chosen) for place in results.places]
        named = any(each.genes or any(line.items for line in each.lines) for each in cards)
        files = sources("estimates", "verdicts", "selection", "profiles", "stability", "audit")
        blocks.append(Cards(cards, CAPTION if named else NO_FEATURES, files))
        explained = Prose(f"{RULE} {COVERAGE}", sources=sources("verdicts"), id=rule)
        blocks.append(Group("The rule of these verdicts", [explained]))
        blocks += [*_suspects(results), *_as_good(results, chosen)]
    label = results.labels.get(chosen, "")
    lead = f"By {label}; the second page compares the classifiers." if label else ""
    return Section("answer", "What was found", lead, blocks)


def _artefacts(results: StudyResults) -> list[Block]:
    """Return the lists of genes with more genes of a known artefact than by chance."""
    rows = results.tables["artefacts"]
    texts = [
        f"{row['dataset']}: {row['overlap']} of the {row['chosen']} {_list_name(results, row)} "
        f"{row['effect']}: {row['genes'].replace(' ', ', ')}."
        for row in rows[rows["marked"].astype(bool)].to_dict("records")
    ]
    sources = results.tables.sources("artefacts")
    return [Prose(" ".join(texts), "warning", sources)] if texts else []


def _list_name(results: StudyResults, row: dict[str, str]) -> str:
    if row["classifier"]:
        return f"core genes of {results.labels[row['classifier']]} for “{row['class']}”"
    return f"first genes of “{row['class']}” by rank"


def _suspects(results: StudyResults) -> list[Block]:
    """Return samples that all of several classifiers predict as the same other class."""
    rows = results.tables["suspects"]
    if rows.empty:
        return []
    parts = [
        f"{dataset}: {counted(len(own), 'sample')} "
        f"({listed(own['sample'].tolist(), _MOST_SUSPECTS)})"
        for dataset, own in rows.groupby("dataset", sort=False)
    ]
    text = (
        "Every classifier predicts the same other class, and the probability of that class exceeds "
        f"that of the label by {MARGIN:g} or more on average. {'; '.join(parts)}. Check these "
        "labels: they may be wrong, or the samples unlike their class."
    )
    caption = (
        "Samples whose label may be wrong; the probability is the least of the classifiers’. "
        "Others that classifiers get wrong are among the samples below."
    )
    shown = results.tables.show("suspects", caption)
    group = Group("Labels to check", [shown], counted(len(rows), "sample"))
    return [Prose(text, sources=results.tables.sources("suspects")), group]


_AS_GOOD = (
    "How many features separate a class from another one at least as well as the best of the "
    "features that a classifier selected for it in any fold: by the area under the ROC curve over "
    "all samples, 1 where the classes do not overlap. “By chance” is the number of features that "
    "would, if the classes did not differ. Of the other classes the one with the most such "
    "features is shown."
)


def _as_good(results: StudyResults, classifier: str) -> list[Block]:
    """Return how many features separate the classes as well as the selected ones."""
    table = results.tables["as_good"]
    if table.empty:
        return []
    table = table.sort_values("as_good", ascending=False, kind="stable")
    files = results.tables.sources("as_good")
    blocks: list[Block] = []
    many = table[(table["classifier"] == classifier) & (table["as_good"] > table["selected"])]
    many = many.drop_duplicates("dataset")
    for row in many.head(1).to_dict("records"):
        also = listed(many["dataset"].tolist()[1:], _MOST_NAMED)
        text = (
            f"{results.place(row['dataset'], row['folds'])}: {row['as_good']:,} of "
            f"{row['features']:,} features separate “{row['class']}” from “{row['other_class']}” "
            f"as well as the best of the {row['selected']:,} that {results.labels[classifier]} "
            f"selected (area under the ROC curve {row['area']:.2f}; by chance "
            f"{row['by_chance']:,.3g} features would). The selected ones are only the first."
            f"{f' The same is true of {also}.' if also else ''}"
        )
        blocks.append(Prose(text, sources=files))
    key = ["dataset", "folds", "classifier", "class"]
    order = table["classifier"].ne(classifier).sort_values(kind="stable").index
    rows = table.loc[order].drop_duplicates(key)
    shown = [name for name in rows if name != "folds"]
    note = f"up to {table['as_good'].max():,}"
    drawn = results.tables.show("as_good", _AS_GOOD, shown, rows)
    return [*blocks, Group("Features that separate classes as well", [drawn], note)]
