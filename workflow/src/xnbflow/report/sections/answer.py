"""The answer: cards with the features, recall and verdict for each class."""

from xnbflow.core.counts import counted
from xnbflow.report.cards import CAPTION, NO_FEATURES, card
from xnbflow.report.page.blocks import Block, Cards, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.cohorts import cohorts_in_words
from xnbflow.report.sections.validation import COHORT_ANCHOR, verdicts_in_words
from xnbflow.report.sentences import COVERAGE, RULE, headline
from xnbflow.studies.sample_errors import MARGIN


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
        blocks.append(Cards(cards, results.worded(CAPTION) if named else NO_FEATURES, files))
        explained = Prose(f"{RULE} {COVERAGE}", sources=sources("verdicts"), id=rule)
        blocks.append(Group("The rule of these verdicts", [explained]))
        blocks += _suspects(results)
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
    caption = (
        "Every classifier predicts the same other class, and the probability of that class exceeds "
        f"that of the label by {MARGIN:g} or more on average: the label may be wrong, or the "
        "sample unlike its class. The probability is the least of the classifiers’. Other samples "
        "that classifiers get wrong are in “Samples” on the second page."
    )
    shown = results.tables.show("suspects", caption)
    return [Group("Labels to check", [shown], counted(len(rows), "sample"))]
