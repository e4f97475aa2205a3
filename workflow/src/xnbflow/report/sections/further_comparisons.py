"""Comparisons of two classes: a volcano plot, features and gene sets of each of them."""

from collections.abc import Iterator

import pandas as pd
import yaml

from xnbflow.core.nouns import counted
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.report.page.blocks import Block, Figure, Group, Prose
from xnbflow.report.results import PageTables, StudyResults
from xnbflow.report.sections.volcano_figure import volcano_figure
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("further_comparisons")
#: Number of classes of which the table of genes compares one with the other.
_MIRRORED = 2
#: Rows of the table of a comparison, and its gene sets.
_MOST_FEATURES = 50
_MOST_SETS = 10
#: Comparisons that have a plot.
_MOST_PLOTS = 12
_SHOWN = ("rank", "feature", "symbol", "log_fold_change", "lower", "upper", "mean", "t", "p", "fdr")
_SHOWN_SETS = ("rank", "gene_set", "set_size", "direction", "shift", "correlation", "p", "fdr")


def further_comparisons(results: StudyResults, tables: PageTables, dataset: str) -> Iterator[Block]:
    """Yield a group with the comparisons of two classes, or how a design asks for one."""
    contrasts = tables["contrasts"]
    names = contrasts["contrast"].drop_duplicates().tolist()
    if not names:
        yield from _proposal(results, dataset)
        return
    sets = tables["gene_set_tests"]
    noun = results.noun(dataset)
    blocks: list[Block] = [Prose(_TEXTS["introduction"], "help")]
    for number, name in enumerate(names):
        rows = contrasts[contrasts["contrast"] == name].reset_index(drop=True)
        sets_of_name = sets[sets["contrast"] == name]
        content: list[Block] = []
        if number < _MOST_PLOTS:
            figure_name = f"contrast-{dataset}-{number:02}"
            content.append(
                _comparison_volcano(figure_name, name, rows, tables.sources("contrasts"), noun)
            )

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
                    tables.show(
                        "gene_set_tests",
                        _TEXTS["sets"].format(level=FDR_LEVEL),
                        _SHOWN_SETS,
                        significant,
                    )
                )
        blocks.append(Group(name, content, _note(rows, sets_of_name, noun), opened=number == 0))
    yield Group("Pairs of classes", blocks, counted(len(names), "comparison"))


def _proposal(results: StudyResults, dataset: str) -> Iterator[Prose]:
    """Yield how to compare two of several classes, where a study compares no pair."""
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    if len(classes) > _MIRRORED:
        pair = f"{classes[1]} vs {classes[0]}"
        line = yaml.safe_dump([pair], default_flow_style=True, allow_unicode=True, width=1000)
        yield Prose(_TEXTS["proposal"].format(line=f"contrasts: {line.strip()}"), "help")


def _note(rows: pd.DataFrame, sets: pd.DataFrame, noun: str) -> str:
    """Return how many features and gene sets of a comparison are significant."""
    features = counted(int((rows["fdr"] < FDR_LEVEL).sum()), noun)
    if sets.empty:
        return f"{features} at an FDR below {FDR_LEVEL:g}"
    gene_sets = counted(sets.loc[sets["fdr"] < FDR_LEVEL, "gene_set"].nunique(), "gene set")
    return f"{features} and {gene_sets} at an FDR below {FDR_LEVEL:g}"


def _comparison_volcano(
    name: str, comparison: str, rows: pd.DataFrame, sources: list[str], noun: str
) -> Figure:
    """Return the volcano plot of a comparison."""
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
        caption=_TEXTS["volcano"].format(level=FDR_LEVEL, noun=noun),
        sources=sources,
        noun=noun,
    )
