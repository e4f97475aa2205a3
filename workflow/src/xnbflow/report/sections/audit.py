"""Audit: causes of unreliable accuracies, independent of the classifier."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, either, listed
from xnbflow.inference.verdicts import INSEPARABLE
from xnbflow.report.adjusted_genes import ASSOCIATED_KINDS, is_adjusted_for, is_biology
from xnbflow.report.drawings.components import draw_components
from xnbflow.report.drawings.histograms import draw_correlations, draw_p_values
from xnbflow.report.drawings.probabilities import draw_probabilities
from xnbflow.report.findings import (
    finding_in_short,
    finding_in_words,
    in_order,
    within_levels_clause,
)
from xnbflow.report.numbers import capitalized, format_count
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.sample_pictures import sample_pictures
from xnbflow.report.sentences import inseparable_pairs
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("audit")
_ASSUMPTIONS = texts_of("diagnostics")
_ASSUMPTION_COLUMNS = [
    "dataset",
    "non_normal_ratio",
    "dependent_ratio",
    "tested",
    "non_normal_ratio_fdr",
    "non_normal_within_ratio",
    "non_normal_within_ratio_fdr",
    "dependent_pairs",
    "max_abs_r",
    "cut",
    "dof",
]
#: Classes that the heading of a data set names, with their sizes.
_MOST_NAMED = 12
#: Columns that differ from the others only where a sample of the features is compared.
_OF_SAMPLED = ["compared", "dependent_error", "pair_share", "pair_share_error"]
#: Kinds of findings on a column that goes with the class.
_COLUMN_KINDS = ASSOCIATED_KINDS
#: Prefix of the columns of the phenotype in the table ``samples`` of the audit.
_PHENOTYPE = "phenotype."


def section(results: StudyResults) -> Section | None:
    """Return the findings within and between data sets; None without data sets."""
    if not results.study.datasets:
        return None
    findings = _audit_findings(results)
    blocks: list[Block] = []
    if findings.empty:
        blocks.append(Prose(_nothing_found(results)))
    else:
        # The sentence has the subject and numbers of a finding.
        columns = ["dataset", "code", "severity", "allows", "detail"]
        sentences = [finding_sentence(results, row) for row in findings.to_dict("records")]
        shown = findings.assign(detail=sentences)
        blocks.append(results.tables.show("findings", _TEXTS["findings"], columns, shown))
    for i, dataset in enumerate(results.study.datasets):
        content = _audit_of_dataset(results, dataset)
        if len(results.study.datasets) == 1:
            blocks += content
        else:
            n_findings = int((findings["dataset"] == dataset).sum())
            note = counted(n_findings, "finding")
            blocks.append(Group(dataset, content, note, opened=i == 0))
    blocks += _assumptions(results)
    return Section("audit", "Audit", _TEXTS["lead"], blocks)


def _nothing_found(results: StudyResults) -> str:
    """Return which checks found nothing, and with how many features and samples they are made."""
    tested = results.tables_of("audit")["associations"]["column"].drop_duplicates().tolist()
    confounder = "No"
    if tested:
        confounder = f"No confounder among the columns tested ({listed(tested, 6)}), no"
    return (
        f"{confounder} repeated sample, no outlier and no wrong scale was found. Scales and "
        "similar samples are tested with at least a hundred features, equal ones with twenty, "
        "outliers with ten samples."
    )


def _audit_findings(results: StudyResults) -> pd.DataFrame:
    """Return the findings on data sets, the most serious first."""
    rows = results.with_unit_nouns(results.rows("findings", classifier=""))
    rows = rows[rows["code"] != "reading"]  # these are in the section `methods`
    in_kinds = pd.DataFrame(in_order(rows.to_dict("records")), columns=rows.columns)
    return in_kinds.sort_values(
        "severity", key=lambda column: column != "warning", kind="stable", ignore_index=True
    )


@dataclass(frozen=True)
class GravestFinding:
    """The most serious finding of a data set: in short, and with everything about it."""

    short: str
    sentence: str


def most_serious(results: StudyResults, dataset: str) -> GravestFinding | None:
    """Return the most serious finding of a data set; None without a warning.

    That a column is associated which the design of the study has as biology is no such finding.
    """
    findings = _audit_findings(results)
    findings = findings[findings["dataset"] == dataset]
    findings = findings[findings["severity"] == "warning"]
    serious = [row for row in findings.to_dict("records") if not is_biology(results, row)]
    if not serious:
        return None
    row = serious[0]
    sentence = finding_sentence(results, row)
    if len(findings) > 1:
        sentence += f" {counted(len(findings) - 1, 'other finding')} below."
    short = finding_in_short(row, results.noun(dataset))
    if is_adjusted_for(results, row):
        comparisons = f"comparisons of {results.noun(dataset)}s"
        short = f"{short.removesuffix('.')}; {comparisons} are adjusted for it."
    return GravestFinding(short=short, sentence=sentence)


def finding_sentence(results: StudyResults, row: dict[str, Any]) -> str:
    """Return a finding in a sentence, with the recognition within levels of its column.

    Its advice, to adjust the comparisons of features for the column, has the columns for which the
    design adjusts already. It is left out where the design has the column, or the classes cannot be
    separated from it.
    """
    advice = None
    noun = results.noun(row["dataset"])
    within = _words_on_levels(results, row)
    design = results.study.design_of(row["dataset"])
    if is_adjusted_for(results, row):
        advice = f"comparisons of {noun}s are adjusted for it"
    elif is_biology(results, row):
        advice = "the design of the study has it as biology"
    elif within and row["kind"] in ASSOCIATED_KINDS:
        advice = ""
    elif design.adjust and row["kind"] in ASSOCIATED_KINDS and row["other"]:
        row = row | {"other": ", ".join([*design.adjust, row["other"]])}
    text = finding_in_words(row, within, advice=advice, noun=noun)
    return capitalized(text)


def _words_on_levels(results: StudyResults, row: dict[str, Any]) -> str:
    """Return the words on the levels of a column within which the class is not recognised.

    The classifier is the first of the study. The text is empty for other findings.
    """
    if row["kind"] not in _COLUMN_KINDS:
        return ""
    classifier = results.tables["headline"]["classifier"].iloc[0]
    rows = results.rows("recognition", dataset=row["dataset"], classifier=classifier)
    rows = rows[rows["class"] == ""]
    rows = rows[(rows["column"] == row["subject"]) & ~rows["together"].astype(bool)]
    rows = rows[rows["status"].isin(INSEPARABLE)]
    if rows.empty:
        return ""
    column = rows.iloc[0].to_dict()
    evaluation = {name: column[name] for name in ("dataset", "folds", "classifier")}
    pairs = inseparable_pairs(results, evaluation, column)
    return within_levels_clause(column, pairs, results.labels[classifier])


def _audit_of_dataset(results: StudyResults, dataset: str) -> list[Block]:
    """Return the pictures of a data set, and how each column goes with the class."""
    sources = results.tables_of("audit", dataset=dataset).sources("samples")
    sources += results.tables.sources("findings")
    components = _component_figures(results, dataset)
    probabilities = _probability_figures(results, dataset)
    caption = _TEXTS["picture"]
    if probabilities:
        caption = f"{caption} {_TEXTS['probabilities']}"
    blocks: list[Block] = [Gallery([components[0], *probabilities], caption, sources)]
    if len(components) > 1:
        gallery = Gallery(components[1:], "", sources)
        blocks.append(Group("Coloured by other columns", [gallery]))
    pictures = sample_pictures(results, dataset)
    if pictures is not None:
        blocks.append(pictures)
    audited = results.tables_of("audit", dataset=dataset)
    tested = audited["associations"]
    if tested.empty:
        blocks.append(Prose(_TEXTS["unknown"], "warning"))
    else:
        columns = ["column", "strength", "p", "p_holm", "genes", "genes_adjusted"]
        blocks.append(audited.show("associations", _TEXTS["tested"], columns, tested))
    if biology := results.study.design_of(dataset).biology:
        names = listed([f"“{name}”" for name in biology])
        verb = either(len(biology), "is biology by the design of the study and limits", "are "
                      "biology by the design of the study and limit")  # fmt: skip
        blocks.append(Prose(f"{names} {verb} no verdict."))
    return [*blocks, *_batch_tables(results, dataset)]


def _batch_tables(results: StudyResults, dataset: str) -> list[Block]:
    """Return the tests within the levels of columns: of all classes, and of pairs of several."""
    blocks: list[Block] = []
    rows = results.rows("recognition", dataset=dataset)
    columns = rows.columns.drop(["dataset", "together"]).tolist()
    within = rows[rows["class"] == ""]
    if len(within):
        blocks.append(results.tables.show("recognition", _TEXTS["within"], columns, within))
    pairs = rows[rows["class"] != ""]
    n_pairs = len(pairs[["class", "other"]].drop_duplicates())
    if n_pairs > 1:
        blocks.append(results.tables.show("recognition", _TEXTS["within_pairs"], columns, pairs))
    return blocks


def _component_figures(results: StudyResults, dataset: str) -> list[Figure]:
    """Return the samples by two principal components, coloured by class and by tested columns."""
    audited = results.tables_of("audit", dataset=dataset)
    samples = audited["samples"]
    shares = samples[["share_1", "share_2"]].iloc[0].tolist()

    # The class and the tested columns of the phenotype that the table has, by name.
    tested = {"class": samples["class"].tolist()}
    for name in audited["associations"]["column"]:  # the strongest first
        cells = samples.get(f"{_PHENOTYPE}{name}", pd.Series(dtype=object)).fillna("")
        if (cells != "").any():
            tested[name] = [text or "unknown" for text in cells]

    # In a browser the first figure offers all columns, and the samples and the explaining model.
    columns = dict(tested)
    for column, cells in samples.filter(regex=rf"^{_PHENOTYPE}").items():
        texts = cells.fillna("").astype(str)
        if (texts != "").any():
            columns.setdefault(str(column).removeprefix(_PHENOTYPE), texts.tolist())
    all_choices = {
        "samples": samples["sample"].tolist(),
        "columns": columns,
        "model": _explaining_model(results, dataset),
    }

    arguments = {
        "scores": samples[["component_1", "component_2"]].to_numpy(),
        "names": samples["sample"].where(samples["outlying"].astype(bool), "").tolist(),
        "axes_labels": (f"component 1 ({shares[0]:.0%})", f"component 2 ({shares[1]:.0%})"),
    }
    figures = []
    for i, (name, groups) in enumerate(tested.items()):
        choices = {} if i else all_choices
        figure = Figure(
            name=f"components-{dataset}-{i}" if i else f"components-{dataset}",
            draw=draw_components,
            arguments=arguments | {"groups": groups} | choices,
            caption=f"By {name}." if i else "",
            alt=f"Samples by their first two principal components, coloured by {name}.",
        )
        figures.append(figure)
    return figures


def _explaining_model(results: StudyResults, dataset: str) -> str:
    """Return the name of the model whose evidence the second page explains; empty without."""
    classifier = results.tables["headline"]["classifier"].iloc[0]
    if not classifier or not results.study.folds or "samples" in results.study.omit_sections:
        return ""
    evaluation = {"dataset": dataset, "folds": results.study.folds[0], "classifier": classifier}
    if results.rows("scores", **evaluation).empty:  # the sums of its evidence
        return ""
    return f"{results.with_folds(dataset, evaluation['folds'])}: {results.labels[classifier]}"


def _probability_figures(results: StudyResults, dataset: str) -> list[Figure]:
    """Return the probability of its class for each sample, outside the training samples."""
    classifier = results.tables["headline"]["classifier"].iloc[0]
    if not classifier or not results.study.folds:
        return []
    evaluation = {"dataset": dataset, "folds": results.study.folds[0], "classifier": classifier}
    if results.rows("estimates", **evaluation, folds_failed=0).empty:
        return []
    rows = results.training(**evaluation, table="predictions", repeat=0)
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    if rows.empty or not {f"log_posterior.{label}" for label in classes} <= set(rows):
        return []
    log_posterior = [row[f"log_posterior.{row['true']}"] for row in rows.to_dict("records")]
    label = results.labels[classifier]
    figure = Figure(
        name=f"probabilities-{dataset}",
        draw=draw_probabilities,
        arguments={
            "classes": classes,
            "true": rows["true"].tolist(),
            "predicted": rows["predicted"].tolist(),
            "probability": np.exp(log_posterior),
            "samples": rows["sample"].tolist(),
            "model": _explaining_model(results, dataset),
        },
        caption="",
        alt=f"Probability that {label} gives the true class of each sample when it is tested.",
    )
    return [figure]


def _assumptions(results: StudyResults) -> list[Block]:
    """Return whether features are normal, and independent given the class (XNB paper, Table 1).

    There is nothing where no data set was tested.
    """
    rows = results.tables["datasets"]
    rows = rows[rows["tested"].notna()]
    if rows.empty:
        return []
    sampled = rows[rows["compared"] < rows["tested"]]
    columns = _ASSUMPTION_COLUMNS if sampled.empty else _ASSUMPTION_COLUMNS + _OF_SAMPLED
    blocks: list[Block] = [results.tables.show("datasets", _ASSUMPTIONS["table"], columns, rows)]
    sources = results.tables.sources("datasets")
    samples = sampled.to_dict("records")
    blocks += [
        Prose(
            _ASSUMPTIONS["sample"].format(
                dataset=row["dataset"],
                compared=format_count(row["compared"]),
                tested=format_count(row["tested"]),
                ratio=f"{row['dependent_ratio']:.4f}",
                ratio_error=f"{row['dependent_error']:.4f}",
                pair_share=f"{row['pair_share']:.2g}",
                pair_share_error=f"{row['pair_share_error']:.1g}",
            ),
            sources=sources,
        )
        for row in samples
    ]
    for i, dataset in enumerate(rows["dataset"]):
        sizes = results.rows("class_sizes", dataset=dataset).to_dict("records")
        classes = [f"{row['class']} {row['samples']}" for row in sizes]
        note = ", ".join(classes[:_MOST_NAMED])
        if len(classes) > _MOST_NAMED:
            note += f" and {len(classes) - _MOST_NAMED} more classes"
        blocks.append(
            Group(dataset, [_distribution_gallery(results, dataset)], note, opened=i == 0)
        )
    note = "whether features are normal, and independent given the class"
    return [Group("Assumptions of naive Bayes", [Prose(_ASSUMPTIONS["lead"]), *blocks], note)]


def _distribution_gallery(results: StudyResults, dataset: str) -> Gallery:
    """Return the histograms of p-values of normality, and of correlations given the class."""
    tables = results.tables_of("diagnostic", dataset=dataset)
    p_counts = tables.rows("histograms", quantity="p of normality")["count"].to_numpy()
    bins = tables.rows("histograms", quantity="|r|")
    test = results.rows("datasets", dataset=dataset).iloc[0]
    alpha = results.configuration.get("diagnostics", {}).get("normality_alpha", 0.05)
    normality = Figure(
        name=f"p-values-{dataset}",
        draw=draw_p_values,
        arguments={
            "shares": p_counts / max(1, p_counts.sum()),
            "alpha": alpha,
            "share_below": float(test["non_normal_ratio"]),
        },
        caption=_ASSUMPTIONS["p_values"],
        alt=(
            f"Histogram of Shapiro-Wilk p-values: {test['non_normal_ratio']:.0%} are below "
            f"{alpha:g}."
        ),
    )
    dependence = Figure(
        name=f"correlations-{dataset}",
        draw=draw_correlations,
        arguments={
            "edges": np.append(bins["lower"], bins["upper"].iloc[-1]),
            "n_pairs": bins["count"].to_numpy(),
            "cut": float(test["cut"]),
        },
        caption=_ASSUMPTIONS["correlations"],
        alt="Histogram of the absolute correlation of pairs of features given the class.",
    )
    sources = [*tables.sources("histograms"), *results.tables.sources("datasets")]
    return Gallery([normality, dependence], _ASSUMPTIONS["histograms"], sources)
