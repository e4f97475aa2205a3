"""Further comparisons of a data set: a volcano plot, features and gene sets of each of them."""

from collections.abc import Iterator, Sequence

import pandas as pd
import yaml

from xnbflow.core.nouns import counted
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.data.class_contrasts import proposed_contrasts
from xnbflow.report.page.blocks import Block, Code, Figure, Group, Prose
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.report.sections.volcano_figure import volcano_figure
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("further_comparisons")
#: Rows of the table of a comparison, and gene sets of each of its contrasts.
_MOST_FEATURES = 50
_MOST_SETS = 10
#: Comparisons that have a plot.
_MOST_PLOTS = 12
_SHOWN = ("rank", "feature", "symbol", "log_fold_change", "lower", "upper", "mean", "t", "f", "p",
          "fdr", "samples")  # fmt: skip
_SHOWN_SETS = ("part", "rank", "gene_set", "set_size", "direction", "shift", "correlation", "p",
               "fdr")  # fmt: skip


def further_comparisons(
    results: StudyResults, tables: StudyTables, dataset: str
) -> Iterator[Group]:
    """Yield a group with the comparisons of a data set, if the design of the study has any."""
    contrasts = tables["contrasts"]
    names = contrasts["contrast"].drop_duplicates().tolist()
    yield from _proposal(results, dataset, names)
    if not names:
        return
    sets = results.rows("contrast_set_tests", dataset=dataset)
    blocks: list[Block] = [Prose(_TEXTS["introduction"], "help")]
    for number, name in enumerate(names):
        rows = contrasts[contrasts["contrast"] == name].reset_index(drop=True)
        sets_of_name = sets[sets["contrast"] == name]
        content: list[Block] = []
        if number < _MOST_PLOTS and rows["t"].notna().any():
            figure_name = f"contrast-{dataset}-{number:02}"
            content.append(comparison_volcano(figure_name, name, rows, tables.sources("contrasts")))

        # The table of the first features of a comparison.
        change = "difference" if rows["log_fold_change"].isna().all() else "log_fold_change"
        columns = [change if column == "log_fold_change" else column for column in _SHOWN]
        first = rows[rows["rank"] <= _MOST_FEATURES]
        caption = f"The first {len(first)} of {len(rows):,} by evidence; all are in the file."
        content.append(tables.show("contrasts", caption, columns, first))

        # The gene sets of the comparison; nothing where no set was tested.
        if not sets_of_name.empty:
            significant = sets_of_name[
                (sets_of_name["fdr"] < FDR_LEVEL) & (sets_of_name["rank"] <= _MOST_SETS)
            ]
            if significant.empty:
                content.append(Prose(_TEXTS["no_set"].format(level=FDR_LEVEL)))
            else:
                content.append(
                    results.tables.show(
                        "contrast_set_tests",
                        _TEXTS["sets"].format(level=FDR_LEVEL),
                        _SHOWN_SETS,
                        significant,
                    )
                )
        blocks.append(Group(name, content, _note(rows, sets_of_name), opened=number == 0))
    yield Group("Other comparisons", blocks, counted(len(names), "comparison"))


def _proposal(results: StudyResults, dataset: str, names: Sequence[str]) -> Iterator[Group]:
    """Yield comparisons of pairs of several classes that the design lacks, ready to be copied."""
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    reference = results.study.design_of(dataset).reference
    kinds = {
        name.partition("=")[0].rstrip(")") for name in names
    }  # trend(class=a<b) is trend(class
    lacking = [
        text
        for text in proposed_contrasts(classes, reference)
        if text not in names and text.rstrip(")") not in kinds
    ]
    if not lacking:
        return
    text = yaml.safe_dump(
        {"design": {"contrasts": lacking}}, sort_keys=False, allow_unicode=True
    ).strip()
    code = Code(text, _TEXTS["paste"])
    note = f"{counted(len(lacking), 'comparison')} that the study does not make"
    yield Group("Compare single classes", [Prose(_TEXTS["proposal"], "help"), code], note)


def _note(rows: pd.DataFrame, sets: pd.DataFrame) -> str:
    """Return how many features and gene sets of a comparison are significant."""
    features = counted(int((rows["fdr"] < FDR_LEVEL).sum()), "feature")
    if sets.empty:
        return f"{features} at an FDR below {FDR_LEVEL:g}"
    gene_sets = counted(sets.loc[sets["fdr"] < FDR_LEVEL, "gene_set"].nunique(), "gene set")
    return f"{features} and {gene_sets} at an FDR below {FDR_LEVEL:g}"


def comparison_volcano(
    name: str, comparison: str, rows: pd.DataFrame, sources: list[str]
) -> Figure:
    """Return the volcano plot of a comparison of one contrast, which has one unit."""
    tested = rows[rows["p"].notna()].reset_index(drop=True)
    change = tested["log_fold_change"]
    xlabel = "log2 fold change"
    if change.isna().all():
        change = tested["difference"]
        xlabel = "difference"
    return volcano_figure(
        name=name,
        title=comparison,
        compared=comparison,
        tested=tested,
        change=change,
        xlabel=xlabel,
        caption=_TEXTS["volcano"].format(level=FDR_LEVEL),
        sources=sources,
    )
