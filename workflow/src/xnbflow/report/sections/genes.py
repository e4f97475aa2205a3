"""Genes: features that differ between a class and the others, without a classifier."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.natural_order import natural_key
from xnbflow.core.nouns import counted, either
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.data.controls import shown_classes
from xnbflow.report.drawings.volcano import evidence
from xnbflow.report.findings import finding_in_words
from xnbflow.report.numbers import capitalized
from xnbflow.report.page.blocks import (
    Block,
    Gallery,
    GeneExplorer,
    Group,
    Links,
    Prose,
    Section,
    Table,
)
from xnbflow.report.page.gene_content import gene_content
from xnbflow.report.results import PageTables, StudyResults
from xnbflow.report.sections.further_comparisons import further_comparisons
from xnbflow.report.sections.signature import gene_page, gene_term, heatmap_figure
from xnbflow.report.sections.volcano_figure import against_others, volcano_figure
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import GROUPS, LIMMA_SCRIPT, Column, text_of

_TEXTS = texts_of("genes")
#: Numbers of features that are expected by chance, below which they are "fewer than one".
_FEW_BY_CHANCE = 1.0
#: Levels of the FDR at which the page counts exactly.
_LEVELS = (0.001, 0.01, 0.05, 0.1)
#: Rows of the table of a series, and classes that have plots.
_MOST_ROWS = 200
_MOST_PLOTS = 12
#: Gene sets of each class, by rank.
_BEST_SETS = 10
#: Bytes of a page for its features, shared by its series, and those that each has at least.
_MOST_BYTES = 1_800_000
_LEAST_BYTES = 20_000
#: Columns of the table `genes` that the page has of each feature and class.
_STATISTICS = ("log_fold_change", "auc", "p", "fdr", "mean")
#: Classes whose contrasts are the same with other signs.
_MIRRORED = 2
_DIRECTION = "higher or lower"
#: Columns of the table of gene sets on the file of a set.
_OF_SET_FILES = ["file", "place", "sha256"]
#: Columns on the other class that a class differs least from, where there are several others.
_LEAST = ("least_t", "nearest")
_SHOWN = ("class", "rank", _DIRECTION, "feature", "symbol", "chromosome", "log_fold_change",
          "lower", "upper", "mean", *_LEAST, "t", "p", "fdr", "auc")  # fmt: skip


def section(results: StudyResults) -> Section | None:
    """Return the differences between the classes; None if no series has a linear feature."""
    tables_by_series = {}
    for dataset in results.study.datasets:
        tables = results.tables_of("genes", dataset=dataset)
        if len(tables["genes"]):
            tables_by_series[dataset] = tables
    if not tables_by_series:
        return None
    blocks: list[Block] = [Prose(results.with_noun(_TEXTS["how_to_read"]), "help")]
    genes = {dataset: tables["genes"] for dataset, tables in tables_by_series.items()}
    most_bytes = _bytes_of_series(genes)
    for i, (dataset, tables) in enumerate(tables_by_series.items()):
        content = list(_genes_of_series(results, tables, dataset, most_bytes[dataset]))
        blocks += content if len(genes) == 1 else [Group(dataset, content, opened=i == 0)]

    blocks.append(Links(list(_file_links(results, list(genes)))))
    lead = "Differences between the classes, tested one by one without a classifier."
    return Section("genes", results.with_noun("{Noun}s"), lead, blocks)


def _file_links(
    results: StudyResults, datasets: Sequence[str]
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield a data set, a title and the files: all features as text and Parquet, and R's script."""
    for dataset in datasets:
        noun = results.noun(dataset)
        template = GROUPS["genes"].path.fill(study=results.study.id, dataset=dataset)
        table = template.of(table="genes")
        files = [results.relative_path(text_of(table)), results.relative_path(table)]
        yield dataset, f"all {noun}s, each class against the others", files
        if len(results.tables_of("genes", dataset=dataset)["contrasts"]):
            table = template.of(table="contrasts")
            files = [results.relative_path(text_of(table)), results.relative_path(table)]
            yield dataset, f"all {noun}s, the other comparisons", files
        script = LIMMA_SCRIPT.of(study=results.study.id, dataset=dataset)
        commands = f"xnbflow export {dataset}; Rscript {script} {dataset}.gct"
        title = f"the same comparisons in R, by limma (in the folder of the study: {commands})"
        yield dataset, title, [results.relative_path(script)]


def _bytes_of_series(genes: Mapping[str, pd.DataFrame]) -> dict[str, int]:
    """Return how many bytes of the page each series has, in proportion to its statistics.

    Examples
    --------
    >>> one, two = (pd.DataFrame({"feature": range(n)}) for n in (9_000, 1_000))
    >>> _bytes_of_series({"a": one, "b": two})
    {'a': 1604000, 'b': 196000}
    """
    rows = {dataset: len(table) for dataset, table in genes.items()}
    shared = _MOST_BYTES - _LEAST_BYTES * len(rows)
    total = sum(rows.values())
    return {dataset: _LEAST_BYTES + shared * n // total for dataset, n in rows.items()}


def _genes_of_series(
    results: StudyResults, tables: PageTables, dataset: str, most_bytes: int
) -> Iterator[Block]:
    """Yield numbers, plots, heat map, table and gene sets of a series, and its pairs of classes.

    Where there are more than two classes, the comparisons of two come before those of a class with
    the mean of all others.
    """
    genes = tables["genes"]
    noun = results.noun(dataset)
    yield from _numbers_of_series(results, tables, dataset)

    classes = sorted(genes["class"].unique(), key=natural_key)
    compared_pairs = list(further_comparisons(results, tables, dataset))
    if len(classes) > _MIRRORED:
        yield from compared_pairs

    # All features, with the plots of each class; of two classes that which is not the control.
    shown_numbers = shown_classes(classes, results.study.design_of(dataset).reference)
    listed_classes = [classes[number] for number in shown_numbers]
    yield GeneExplorer(
        pack=partial(_packed_genes, results, dataset, listed_classes, most_bytes),
        series=dataset,
        figures=_volcano_plots(results, tables, dataset, classes, shown_numbers[:_MOST_PLOTS]),
        caption=_TEXTS["explorer"].format(
            total=f"{genes['feature'].nunique():,}",
            n=f"{tables['gene_values']['feature'].nunique():,}",
            noun=noun,
        ),
        sources=tables.sources("genes", "gene_values"),
    )

    # The first features: heat map and table.
    yield heatmap_figure(
        name=f"genes-{dataset}",
        cells=tables["gene_heatmap"],
        caption=results.with_noun(_TEXTS["heatmap"], dataset),
        sources=tables.sources("genes"),
        n_samples=int(results.rows("datasets", dataset=dataset)["samples"].iloc[0]),
        phenotype=results.tables_of("audit", dataset=dataset)["samples"],
        noun=noun,
    )
    table = _gene_table_block(tables, genes[genes["class"].isin(listed_classes)], noun)
    yield Group(results.with_noun("Table of {noun}s", dataset), [table], "the first by rank")

    if len(classes) == _MIRRORED:
        yield from compared_pairs
    yield from _gene_set_blocks(results, dataset, listed_classes)


def _numbers_of_series(results: StudyResults, tables: PageTables, dataset: str) -> Iterator[Prose]:
    """Yield a shift of all features, how many features differ, and how counts were modelled."""
    noun = results.noun(dataset)
    shifts = results.rows("findings", dataset=dataset, code="values", kind="global shift")
    for row in shifts.to_dict("records"):
        text = capitalized(finding_in_words(row, noun=noun))
        yield Prose(text, "warning", results.tables.sources("findings"))

    by_chance = _perfect_by_chance(results.rows("class_sizes", dataset=dataset))
    text = _gene_counts_sentence(tables["genes"], by_chance, noun=noun)
    for note in "\n".join(tables["design"]["notes"]).splitlines():
        text += f" {capitalized(note)}."
    sources = [*tables.sources("genes", "design"), *results.tables.sources("class_sizes")]
    yield Prose(text, sources=sources)

    if results.rows("datasets", dataset=dataset)["counts"].iloc[0]:
        variance = tables["design"]["variance"].iloc[0]
        of_counts = f"{_TEXTS[f'counts_by_{variance}']} {_TEXTS['of_counts']}"
        yield Prose(results.with_noun(of_counts, dataset), "help", tables.sources("design"))


def _perfect_by_chance(sizes: pd.DataFrame) -> float:
    """Return how many features separate classes perfectly by chance, from ``class_sizes``.

    A feature that separates one of two classes separates the other.
    """
    expected = sizes["perfect_by_chance"]
    if len(sizes) > _MIRRORED:
        return float(expected.sum())
    return float(expected.iloc[0]) if len(sizes) == _MIRRORED else np.nan


def _gene_counts_sentence(
    genes: pd.DataFrame, by_chance: float = np.nan, noun: str = "feature"
) -> str:
    """Return sentences on the numbers of features that separate the classes and that differ.

    ``by_chance`` is the number that is expected to separate classes perfectly if labels carry no
    information; NaN where it is not known. ``noun`` is the word for a feature.
    """
    n_perfect = genes.loc[genes["auc"].isin([0, 1]), "feature"].nunique()
    n_features = genes["feature"].nunique()
    n_classes = genes["class"].nunique()
    n_differ = genes.loc[genes["fdr"] < FDR_LEVEL, "feature"].nunique()
    separated = "these classes"
    comparison = ""
    if n_classes > _MIRRORED:
        separated = "at least one class from all others"
        comparison = " in at least one comparison"
    chance = ""
    if by_chance >= _FEW_BY_CHANCE:
        chance = f"; labels without information give {by_chance:,.0f}"
    elif by_chance >= 0:
        chance = "; labels without information give fewer than one"
    return (
        f"{n_perfect:,} of {counted(n_features, noun)} "
        f"{either(n_perfect, 'separates', 'separate')} {separated} perfectly (AUC of 0 or 1{chance}"
        f"). {n_differ:,} {either(n_differ, 'differs', 'differ')}{comparison} at an FDR below "
        f"{FDR_LEVEL:g}."
    )


def _change(genes: pd.DataFrame) -> tuple[pd.Series, str]:
    """Return the differences of features on a common axis, and their label.

    Features that are not logarithms may have units of their own: differences of means have no
    common axis then.
    """
    if genes["log_fold_change"].isna().all():
        return genes["auc"] - 0.5, "AUC - 0.5"
    return genes["log_fold_change"], "log2 fold change"


def _volcano_plots(
    results: StudyResults,
    tables: PageTables,
    dataset: str,
    classes: Sequence[str],
    numbers: Sequence[int],
) -> Gallery:
    """Return the volcano plots of some classes, by their numbers."""
    genes = tables["genes"]
    figures = []
    for number in numbers:
        tested = genes[(genes["class"] == classes[number]) & genes["p"].notna()]
        if len(tested):
            tested = tested.sort_values("rank", ignore_index=True)
            change, xlabel = _change(tested)
            figure = volcano_figure(
                name=f"volcano-{dataset}-{number:02}",
                title=classes[number],
                compared=against_others(classes[number], classes),
                tested=tested,
                change=change,
                xlabel=xlabel,
                noun=results.noun(dataset),
            )
            figures.append(figure)
    caption = _TEXTS["volcano"].format(level=FDR_LEVEL, noun=results.noun(dataset))
    if len(classes) > _MOST_PLOTS:
        caption += f" {_TEXTS['volcano_first'].format(most=_MOST_PLOTS)}"
    return Gallery(figures, caption, tables.sources("genes"))


def _gene_set_blocks(
    results: StudyResults, dataset: str, listed_classes: Sequence[str]
) -> Iterator[Block]:
    """Yield the tests of gene sets in the listed classes; nothing where none was tested."""
    tables = results.tables_of("genes", dataset=dataset)
    tests = tables["gene_set_tests"]
    tests = tests[tests["contrast"] == ""]
    if tests.empty:
        return
    tests = tests[tests["class"].isin(listed_classes)]
    blocks: list[Block] = [Prose(_TEXTS["caution"], "warning")]
    differ = tests["fdr"] < FDR_LEVEL
    significant = tests[differ & (tests["rank"] <= _BEST_SETS)]
    if len(significant):
        caption = _TEXTS["tested_sets"].format(level=FDR_LEVEL)
        columns = significant.columns.drop(_OF_SET_FILES).tolist()
        blocks.append(tables.show("gene_set_tests", caption, columns, significant))
    else:
        blocks.append(Prose(_TEXTS["no_set"].format(level=FDR_LEVEL)))
    files = tests.groupby(_OF_SET_FILES, sort=False)["gene_set"].nunique().reset_index()
    blocks.append(
        tables.show(
            "gene_set_tests",
            _TEXTS["files_of_sets"],
            rows=files,
            declarations={"gene_set": Column("integer", label="gene sets tested")},
        )
    )
    note = f"{counted(int(differ.sum()), 'test')} at an FDR below {FDR_LEVEL:g}"
    yield Group("Gene sets", blocks, note)


def _packed_genes(
    results: StudyResults, dataset: str, labels: Sequence[str], most_bytes: int
) -> str:
    """Return all features of a series, with the contrasts of these classes, for the page."""
    tables = results.tables_of("genes", dataset=dataset)
    genes = tables["genes"]
    values = tables["gene_values"]

    # All features: those with values of samples first, then the others by best rank.
    numbers, features = pd.factorize(genes["feature"])
    best_rank = np.full(len(features), np.inf)
    np.minimum.at(best_rank, numbers, genes["rank"].to_numpy(dtype=float))
    with_values = pd.Index(features).get_indexer(values["feature"].drop_duplicates())
    by_rank = np.argsort(best_rank, kind="stable")
    order = np.concatenate([with_values, by_rank[~np.isin(by_rank, with_values)]])

    # The rows of each class, in this order; a feature that a class lacks has missing statistics.
    statistics_of_rows = genes[[*_STATISTICS]].reset_index(drop=True)
    contrasts = []
    for label in labels:
        rows = np.flatnonzero(genes["class"] == label)
        row_of_feature = np.full(len(features), -1)
        row_of_feature[numbers[rows]] = rows
        contrasts.append(statistics_of_rows.reindex(row_of_feature[order]))
    first_rows = np.unique(numbers, return_index=True)[1]
    symbols = genes["symbol"].iloc[first_rows[order]].fillna("").to_numpy(dtype=object)
    names = np.asarray(features, dtype=object)[order]
    change_label = _change(contrasts[-1])[1]
    return gene_content(
        genes=pd.DataFrame({"feature": names, "symbol": symbols}),
        values=values,
        statistics=_page_statistics(contrasts),
        flags={
            "core": np.isin(names, _core(results, dataset)),
            "term": list(map(_kind_of_term, symbols, names)),
        },
        most_bytes=most_bytes,
        levels=evidence(np.array(_LEVELS)).tolist(),
        contrasts=list(labels),
        change=change_label,
        unit="log value" if change_label == "log2 fold change" else "value",
        name=dataset,
        noun=results.noun(dataset),
    )


def _page_statistics(contrasts: Sequence[pd.DataFrame]) -> dict[str, Any]:
    """Return the columns of the page's features; the names of contrast 0 end with ``.0``."""
    statistics: dict[str, Any] = {}
    for number, tested in enumerate(contrasts):
        statistics[f"change.{number}"] = _change(tested)[0]
        statistics[f"evidence.{number}"] = evidence(tested["p"].to_numpy())
        statistics[f"fdr.{number}"] = evidence(tested["fdr"].to_numpy())
        statistics[f"auc.{number}"] = tested["auc"]
    statistics["mean"] = contrasts[0]["mean"]
    return statistics


def _core(results: StudyResults, dataset: str) -> list[str]:
    """Return the core features of the headline classifier's model; empty without a model."""
    classifier = results.tables["headline"]["classifier"].iloc[0] if results.study.models else ""
    if (dataset, classifier) not in results.study.models:
        return []
    signature = results.tables_of("model", dataset=dataset, classifier=classifier)["signature"]
    return signature.loc[signature["core"].astype(bool), "feature"].tolist()


def _kind_of_term(symbol: str, feature: str) -> int:
    """Return what NCBI and Ensembl are searched for: 0 nothing, 1 the symbol, 2 the feature."""
    if not symbol and not "A" <= feature[:1] <= "Z":  # most probes; a symbol begins with a capital
        return 0
    term = gene_term(symbol, feature)
    if not term:
        return 0
    return 1 if symbol.partition("///")[0].strip() == term else 2


def _gene_table_block(tables: PageTables, genes: pd.DataFrame, noun: str) -> Table:
    """Return the first features of each class by rank."""
    n_of_class = max(1, _MOST_ROWS // genes["class"].nunique())
    rows = genes[genes["rank"] <= n_of_class]
    rows = rows.sort_values("class", key=lambda labels: labels.map(natural_key), kind="stable")
    arrows = np.select([rows["difference"] > 0, rows["difference"] < 0], ["↑", "↓"], "")

    # Columns with the difference in place of fold changes where these are unknown.
    unknown = genes["log_fold_change"].isna().all()
    change = "difference" if unknown else "log_fold_change"
    columns = [change if name == "log_fold_change" else name for name in _SHOWN]

    order = "by evidence in either direction (↑ higher in the class, ↓ lower)"
    if genes["class"].nunique() > _MIRRORED and genes["least_t"].notna().any():
        order = (
            "by the least difference from any other class (least t, and the nearest class), in "
            "either direction (↑ higher in the class than in the mean of the others, ↓ lower)"
        )
    else:
        columns = [column for column in columns if column not in _LEAST]
    caption = f"All {noun}s {order}."
    if len(rows) < len(genes):
        caption = f"The first {n_of_class:,} of each class {order}. All are in the files."
    pages = list(map(gene_page, rows["symbol"], rows["feature"]))
    return tables.show(
        "genes",
        caption,
        columns,
        rows.assign(**{_DIRECTION: arrows}),
        declarations={_DIRECTION: ""},
        links={"symbol" if (rows["symbol"] != "").any() else "feature": pages},
    )
