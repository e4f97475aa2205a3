"""Genes: features that differ between a class and the others, without a classifier."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.data.controls import shown_classes
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.drawings.volcano import draw_volcano, evidence
from xnbflow.report.page.blocks import (
    Block,
    Figure,
    Gallery,
    GeneExplorer,
    Group,
    Links,
    Prose,
    Section,
    Table,
)
from xnbflow.report.page.gene_content import gene_content
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.report.sections.further_comparisons import further_comparisons
from xnbflow.report.sections.signature import gene_page, gene_term, heatmap_figure
from xnbflow.tables.contract import DIAGNOSTIC, text_of

_LEVEL, _NAMED = 0.05, 4
#: Levels of the FDR at which the page counts exactly.
_LEVELS = (0.001, 0.01, 0.05, 0.1)
#: Rows of the table of a series, and classes that have plots.
_MOST_ROWS, _MOST_PLOTS = 200, 12
#: Bytes of a page for its features, shared by its series.
_MOST_BYTES = 1_800_000
#: Bytes of a series with few features.
_LEAST_BYTES = 20_000
_HOW_TO_READ = (
    "Every feature is tested by itself, each class against the mean of the other classes: a "
    "linear model with variances moderated over the features (limma; FDR: Benjamini and "
    "Hochberg’s adjustment over the features of a class). Patients with samples of several "
    "classes are compared with themselves. AUC and distance are of samples, adjusted neither for "
    "patients nor for other columns. A small p does not imply that a feature classifies new "
    "samples: see the accuracy in cross-validation."
)
_VOLCANO = (
    f"Orange: higher in the class than in the others, blue: lower, at an FDR below {_LEVEL:g}. "
    "The features with the smallest p are labelled."
)
_EXPLORER = (
    "All {total} features. Point at a dot to see its numbers; click it, or a name in the table, to "
    "see its samples. Both thresholds can be changed. Rings mark the core set. The page has the "
    "values of the first {n} features by rank, rounded to 1/254 of their range; lines join the "
    "samples of a patient or group. Densities are Gaussian kernel densities with Silverman’s "
    "bandwidth, as ClassSpecificNB fits them; statistics are rounded to 1/65,534 of their range."
)
_HEATMAP = (
    "The best features of every class by rank, standardised; samples class by class, similar "
    "features side by side. They were selected on these samples, so that the classes differ here "
    "in any case."
)
_OF_COUNTS = (
    "The values are counts of reads. {Noun}s with enough reads are compared as log2 counts per "
    "million, with library sizes adjusted by TMM and the precision weights of voom (with the "
    "option trend by limma’s trend instead). Classifiers see log2 counts per million by TMM, too, "
    "but filter and normalisation are fitted to the training samples of each fold, without weights "
    "and with a larger prior count: values of {noun}s with few reads differ between the two. AUC, "
    "distance and drawings are of log2 counts per million of all samples."
)
_BEST_SETS = 10
_ARTEFACTS = (
    "Genes that often differ for another reason than the disease, in the core sets of classifiers "
    "and among the first 20 genes of each class by rank. Marked: over-represented at an FDR of 5% "
    "over the sets, with two genes at least."
)
_CAUTION = (
    "The test and the pictures describe the samples of this study. A small FDR does not imply that "
    "a set differs in new samples."
)
_TESTED_SETS = (
    f"Gene sets whose genes are higher or lower in the class than the other genes, at an FDR below "
    f"{_LEVEL:g} (CAMERA). The test accounts for the correlation of the genes of a set; of two "
    "classes the second is the mirror of the first."
)
_NO_SET = (
    "No gene set is higher or lower in a class than the other genes at an FDR below "
    f"{_LEVEL:g} (CAMERA, which accounts for the correlation of the genes of a set)."
)
_SETS = (
    "Overlaps of the genes of each class with gene sets, the best of each choice of genes. The "
    "genes of a set are correlated, so that large overlaps also occur by chance: an overlap is no "
    "evidence."
)
_CHOSEN = "gene sets with more genes of a class than as many random genes, by the first by rank."
_RANKED = (
    "gene sets at either end of the genes, ranked by moderated t: above 0 higher in the class, "
    "below 0 lower. Scores of correlated genes are also large by chance."
)
_ENDS = (
    "The gene sets with the largest scores, preranked on moderated t (GSEA); of two classes the "
    "second is the mirror of the first. The scores are no evidence, as they take genes for "
    "independent."
)
_NOT_RANKED = (
    "There are no preranked scores: the package gseapy is not installed (extra gsea of xnbflow), "
    "or no set has 5 to 500 genes with a moderated t."
)
_DIRECTION = "higher or lower"
_SHOWN = ("class", "rank", _DIRECTION, "feature", "symbol", "chromosome", "log_fold_change",
          "lower", "upper", "mean", "t", "p", "fdr", "auc", "distance", "ties")  # fmt: skip


def section(results: StudyResults) -> Section | None:
    """Return the differences between the classes; None if no series has a linear feature."""
    found = {name: results.diagnosed(name) for name in results.study.datasets}
    found = {name: tables for name, tables in found.items() if len(tables["genes"])}
    if not found:
        return None
    blocks: list[Block] = [Prose(_HOW_TO_READ, "help")]
    sizes = _bytes_of_series({name: tables["genes"] for name, tables in found.items()})
    for i, (dataset, tables) in enumerate(found.items()):
        about = results.rows("datasets", dataset=dataset).iloc[0]
        phenotype = results.rows("components", dataset=dataset)
        own = _series(results, tables, about, phenotype, sizes[dataset])
        blocks += own if len(found) == 1 else [Group(dataset, list(own), opened=i == 0)]
    files = [DIAGNOSTIC.of(dataset=name, table="genes") for name in found]
    links = [
        (name, "all features, each class against the others", [results.beside(p) for p in pair])
        for name, pair in zip(found, ((text_of(path), path) for path in files), strict=True)
    ]
    compared = [name for name, tables in found.items() if len(tables["contrasts"])]
    for name in compared:
        path = DIAGNOSTIC.of(dataset=name, table="contrasts")
        addresses = [results.beside(text_of(path)), results.beside(path)]
        links.append((name, "all features, the other comparisons", addresses))
    blocks.append(Links(links))
    known = results.tables["artefacts"]
    if len(known):
        columns = [name for name in known if name != "effect"]
        table = results.tables.show("artefacts", _ARTEFACTS, columns)
        note = counted(len(known[known["marked"]]), "mark")
        blocks.append(Group("Known artefacts", [table], note))
    blocks += _gene_sets(results)
    lead = "Differences between the classes, tested one by one without a classifier."
    return Section("genes", results.worded("{Noun}s"), lead, blocks)


def _bytes_of_series(genes: Mapping[str, pd.DataFrame]) -> dict[str, int]:
    """Return how many bytes of the page each series has, in proportion to its statistics.

    Examples
    --------
    >>> one, two = (pd.DataFrame({"feature": range(n)}) for n in (9_000, 1_000))
    >>> _bytes_of_series({"a": one, "b": two})
    {'a': 1604000, 'b': 196000}
    """
    rows = {name: len(table) for name, table in genes.items()}
    least = _LEAST_BYTES * len(rows)
    total = sum(rows.values())
    return {name: _LEAST_BYTES + (_MOST_BYTES - least) * n // total for name, n in rows.items()}


def _series(
    results: StudyResults,
    tables: StudyTables,
    about: pd.Series,
    phenotype: pd.DataFrame,
    most_bytes: int,
) -> Iterator[Block]:
    genes, dataset, adjusted = tables["genes"], about["dataset"], about["adjusted"]
    shifts = results.rows("audit", dataset=dataset, check="global shift", severity="warning")
    for finding in shifts["finding"]:
        text = f"{finding[0].upper()}{finding[1:]}."
        yield Prose(text, "warning", results.tables.sources("audit"))
    text = _in_words(genes)
    if adjusted:
        text = f"{text} Comparisons are adjusted for {adjusted}."
    yield Prose(text, sources=tables.sources("genes"))
    if about["counts"]:
        yield Prose(results.worded(_OF_COUNTS, dataset))
    classes = sorted(genes["class"].unique())
    shown = shown_classes(classes, about["control"])[:_MOST_PLOTS]
    plots: list[Figure] = []
    for i in shown:
        rows = genes[(genes["class"] == classes[i]) & genes["p"].notna()]
        if len(rows):
            rows = rows.sort_values("rank", ignore_index=True)
            plots.append(_volcano(dataset, i, classes[i], rows))
    many = len(classes) > _MOST_PLOTS
    rest = f" Only the first {_MOST_PLOTS} classes have plots." if many else ""
    gallery = Gallery(plots, f"{_VOLCANO}{rest}", tables.sources("genes"))
    listed_classes = [classes[i] for i in shown_classes(classes, about["control"])]
    yield _explorer(results, dataset, listed_classes, gallery, most_bytes)
    drawn = ("genes-" + dataset, tables["gene_heatmap"], _HEATMAP, tables.sources("genes"))
    yield heatmap_figure(*drawn, int(about["samples"]), phenotype)
    table = _table(tables, genes[genes["class"].isin(listed_classes)])
    yield Group(results.worded("Table of {noun}s", dataset), [table], "the first by rank")
    yield from further_comparisons(results, tables, dataset)


def _gene_sets(results: StudyResults) -> Iterator[Block]:
    """Yield the tests of gene sets, their overlaps with lists, and their preranked scores."""
    tests, overlaps = results.tables["gene_set_tests"], results.tables["enrichment"]
    ranked = results.tables["prerank"]
    if tests.empty and overlaps.empty and ranked.empty:
        return
    significant = tests[(tests["fdr"] < _LEVEL) & (tests["rank"] <= _BEST_SETS)]
    blocks: list[Block] = []
    if len(significant):
        blocks.append(results.tables.show("gene_set_tests", _TESTED_SETS, rows=significant))
    else:
        blocks.append(Prose(_NO_SET))
    best = overlaps[(overlaps["rank"] <= _BEST_SETS) & (overlaps["fold"] > 1)]
    by_rank = best[best["by"] == ""]
    blocks += _set_figures(results, "enrichment", by_rank, ("fold", "times expected"), _CHOSEN)
    if len(best):
        columns = [name for name in best.columns if name != "genes"]
        blocks.append(results.tables.show("enrichment", _SETS, [*columns, "genes"], best))
    ends = ranked[ranked["rank"] <= _BEST_SETS]
    blocks += _set_figures(results, "prerank", ends, ("nes", "normalised score"), _RANKED)
    if len(ends):
        blocks.append(results.tables.show("prerank", _ENDS, rows=ends))
    else:
        blocks.append(Prose(_NOT_RANKED))
    n_significant = int((tests["fdr"] < _LEVEL).sum())
    note = f"{counted(n_significant, 'test')} at an FDR below {_LEVEL:g}"
    yield Group("Gene sets", [Prose(_CAUTION, "warning"), *blocks], note)


def _set_figures(
    results: StudyResults, table: str, best: pd.DataFrame, value: tuple[str, str], caption: str
) -> Iterator[Figure]:
    """Yield a figure per data set: gene sets in rows, a column of the table by class."""
    column, xlabel = value
    for dataset, rows in best.groupby("dataset"):
        names = rows["gene_set"].drop_duplicates()
        unknown = [np.nan] * len(names)
        groups = [
            Points(str(label), values, unknown, unknown, i)
            for i, (label, own) in enumerate(rows.groupby("class"))
            for values in [own.set_index("gene_set")[column].reindex(names).tolist()]
        ]
        yield Figure(
            f"gene-sets-{dataset}" if table == "enrichment" else f"{table}-{dataset}",
            draw_points,
            {"rows": names.tolist(), "groups": groups, "xlabel": xlabel},
            f"{dataset}: {caption}",
            f"{counted(len(names), 'gene set')} by class.",
            results.tables.sources(table),
        )


def _in_words(genes: pd.DataFrame) -> str:
    """Return sentences on the numbers of features that separate the classes and that differ."""
    perfect = genes.loc[genes["auc"].isin([0, 1]), "feature"].nunique()
    total, classes = genes["feature"].nunique(), genes["class"].nunique()
    what = "these classes" if classes == 2 else "at least one class from all others"
    differ = genes.loc[genes["fdr"] < _LEVEL, "feature"].nunique()
    where = "" if classes == 2 else " in at least one comparison"
    return (
        f"{perfect:,} of {counted(total, 'feature')} {'separates' if perfect == 1 else 'separate'} "
        f"{what} perfectly (AUC of 0 or 1). {differ:,} differ{where} at an FDR "
        f"below {_LEVEL:g}."
    )


def _explorer(
    results: StudyResults,
    dataset: str,
    labels: Sequence[str],
    figures: Gallery,
    most: int,
) -> GeneExplorer:
    """Return all features of a series, with the contrasts of these classes, in ``most`` bytes."""
    tables = results.diagnosed(dataset)
    genes, values = tables["genes"], tables["gene_values"]
    by_class = {label: genes[genes["class"] == label].set_index("feature") for label in labels}
    first = genes.groupby("feature", sort=False)["rank"].min().sort_values(kind="stable").index
    shown = values["feature"].drop_duplicates()
    order = shown.tolist() + first[~first.isin(shown)].tolist()
    own = next(iter(by_class.values())).reindex(order)
    symbols = own["symbol"].fillna("")
    statistics: dict[str, Any] = {}
    for j, tested in enumerate(by_class.values()):
        rows = tested.reindex(order)
        change, name = _change(rows)
        statistics[f"change.{j}"] = change
        statistics[f"evidence.{j}"] = evidence(rows["p"].to_numpy())
        statistics[f"fdr.{j}"] = evidence(rows["fdr"].to_numpy())
        statistics[f"auc.{j}"] = rows["auc"]
    statistics["mean"] = own["mean"]
    flags = {
        "core": own.index.isin(_core(results, dataset)),
        "term": list(map(_kind_of_term, symbols, own.index)),
    }
    total = len(order)
    content = gene_content(
        pd.DataFrame({"feature": order, "symbol": symbols.to_numpy()}),
        values,
        statistics,
        flags,
        most,
        levels=evidence(np.array(_LEVELS)).tolist(),
        contrasts=list(labels),
        change=name,
        unit="log value" if name == "log2 fold change" else "value",
        name=dataset,
        noun=results.noun(dataset),
        command=f"xnbflow gene {results.study.id} {{}} --data {dataset}",
    )
    caption = _EXPLORER.format(total=f"{total:,}", n=f"{len(shown):,}")
    return GeneExplorer(content, figures, caption, tables.sources("genes", "gene_values"))


def _core(results: StudyResults, dataset: str) -> list[str]:
    """Return the core features of the headline classifier's model; empty without a model."""
    classifier = results.tables["headline"]["classifier"].iloc[0] if results.study.models else ""
    if (dataset, classifier) not in results.study.models:
        return []
    signature = results.model(dataset, classifier)["signature"]
    return signature.loc[signature["core"].astype(bool), "feature"].tolist()


def _kind_of_term(symbol: str, feature: str) -> int:
    """Return what NCBI and Ensembl are searched for: 0 nothing, 1 the symbol, 2 the feature."""
    term = gene_term(symbol, feature)
    return 0 if not term else 1 if symbol.partition("///")[0].strip() == term else 2


def _change(genes: pd.DataFrame) -> tuple[pd.Series, str]:
    """Return the differences of features, and their label."""
    if genes["log_fold_change"].isna().all():
        # features may have units of their own: differences of means have no common axis
        return genes["auc"] - 0.5, "AUC - 0.5"
    return genes["log_fold_change"], "log2 fold change"


def _volcano(dataset: str, number: int, label: str, tested: pd.DataFrame) -> Figure:
    """Return the volcano plot of a class."""
    change, xlabel = _change(tested)
    found = tested["fdr"] < _LEVEL
    first = tested[found].nsmallest(_NAMED, "p")
    names = first["symbol"].where(first["symbol"] != "", first["feature"])
    differ = (
        f"{counted(len(tested[found]), 'feature')} of {len(tested):,} at an FDR below {_LEVEL:g}."
    )
    arguments = {
        "title": label,
        "change": change.to_numpy(),
        "names": dict(zip(names, names.index.tolist(), strict=True)),
        "p": tested["p"].to_numpy(),
        "cut": float(tested.loc[found, "p"].max()),
        "xlabel": xlabel,
    }
    alt = f"Volcano plot of {label} against the others: {differ}"
    return Figure(f"volcano-{dataset}-{number:02}", draw_volcano, arguments, "", alt)


def _table(tables: StudyTables, genes: pd.DataFrame) -> Table:
    each = max(1, _MOST_ROWS // genes["class"].nunique())
    rows = genes[genes["rank"] <= each]
    arrows = np.where(rows["difference"] > 0, "↑", np.where(rows["difference"] < 0, "↓", ""))
    rows = rows.assign(**{_DIRECTION: arrows})
    unknown = genes["log_fold_change"].isna().all()
    change = "difference" if unknown else "log_fold_change"
    shown = [change if name == "log_fold_change" else name for name in _SHOWN]
    pages = list(map(gene_page, rows["symbol"], rows["feature"]))
    rest = " All are in the files." if len(rows) < len(genes) else ""
    evidence = "by evidence in either direction (↑ higher in the class, ↓ lower)"
    caption = f"The first {each:,} of each class {evidence}.{rest}"
    return tables.show(
        "genes",
        caption if rest else f"All features {evidence}.",
        shown,
        rows,
        own={_DIRECTION: ""},
        links={"symbol" if (rows["symbol"] != "").any() else "feature": pages},
    )
