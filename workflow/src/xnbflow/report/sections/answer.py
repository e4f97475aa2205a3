"""The answer: cards with the features, recall and verdict for each class."""

import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.report.cards import CAPTION, NO_FEATURES, TESTED_FEATURES, card
from xnbflow.report.page.blocks import Block, Cards, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.cohorts import COHORT_ANCHOR, cohorts_in_words, verdicts_in_words
from xnbflow.report.sections.methods import RULE_ANCHOR
from xnbflow.report.sentences import headline_sentence
from xnbflow.report.texts import texts_of
from xnbflow.studies.sample_errors import MARGIN


def section(results: StudyResults) -> Section | None:
    """Return the study's answer; None for a study without classifiers."""
    if not results.study.classifiers:
        return None
    chosen = results.tables["headline"]["classifier"].iloc[0]
    sources = results.tables.sources
    rule = RULE_ANCHOR if chosen else ""
    blocks: list[Block] = []
    one_card = bool(chosen) and len(results.evaluations) == 1
    if not one_card:  # a single card repeats the headline
        files = sources("headline", "estimates")
        blocks.append(Prose(headline_sentence(results), "headline", files, rule=rule))
    if cohorts := verdicts_in_words(results):
        blocks.append(Prose(cohorts, "headline", rule=COHORT_ANCHOR))
    blocks += cohorts_in_words(results)
    if n_failed := len(results.rows("problems", kind="error")):
        text = f"{counted(n_failed, 'fit')} failed: see what was run."
        blocks.append(Prose(text, "warning", sources("problems")))
    if not chosen:
        return Section("answer", "What was found", "", blocks)
    cards = [card(results, *evaluation, chosen) for evaluation in results.evaluations]
    features_are_named = any(
        card.feature_items or any(line.items for line in card.lines) for card in cards
    )
    captions = []
    if features_are_named:
        captions.append(results.with_noun(CAPTION))
    if any(card.features_are_tested for card in cards):
        captions.append(results.with_noun(TESTED_FEATURES))
    caption = " ".join(captions) or NO_FEATURES
    files = sources("estimates", "verdicts", "findings", "selection", "stability")
    for dataset in dict.fromkeys(dataset for dataset, _ in results.evaluations):
        files += results.tables_of("genes", dataset=dataset).sources("genes")
    blocks.append(Cards(cards, caption, files))
    blocks += _suspect_blocks(results)
    lead = f"By {results.labels[chosen]}; the second page compares the classifiers."
    return Section("answer", "What was found", lead, blocks)


def _suspect_blocks(results: StudyResults) -> list[Block]:
    """Return samples that all of several classifiers predict as the same other class."""
    rows = results.tables["suspects"]
    if rows.empty:
        return []
    caption = texts_of("answer")["suspects"].format(margin=MARGIN)
    blocks: list[Block] = [results.tables.show("suspects", caption)]
    if exchanged := exchanged_sentences(rows):
        blocks.insert(0, Prose(exchanged, "warning", results.tables.sources("suspects")))
    return [Group("Labels to check", blocks, counted(len(rows), "sample"))]


def exchanged_sentences(suspects: pd.DataFrame) -> str:
    """Return a sentence on each two samples that are probably exchanged; empty without any."""
    sentences = []
    for row in suspects.to_dict("records"):
        first, second = row["sample"], row["exchanged_with"]
        if second and first < second:  # each pair has two rows
            sentences.append(
                f"{row['dataset']}: “{first}” ({row['true']}) and “{second}” ({row['predicted']}) "
                "are probably exchanged: each is predicted as the class of the other, and the "
                "genes of the sex chromosomes contradict the recorded sex of both, in opposite "
                "directions."
            )
    return " ".join(sentences)
