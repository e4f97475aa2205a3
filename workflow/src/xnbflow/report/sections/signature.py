"""The signature: what a classifier of all samples uses, to read, to draw and to take along."""

import re
from collections.abc import Iterator
from urllib.parse import quote_plus

import numpy as np
import pandas as pd

from xnbflow.data.contract import GENE_SETS, MODEL, MODEL_TABLE, text_of
from xnbflow.data.counts import counted
from xnbflow.data.sources.cell_texts import is_date, is_missing
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.page.blocks import Block, Figure, Group, Links, Prose, Section, Table
from xnbflow.report.results import StudyResults, StudyTables

__all__ = ["section"]

#: Rows of the table of a model.
_MOST_ROWS = 200


def section(results: StudyResults) -> Section | None:
    """Return the signatures; None where the study keeps no classifier."""
    if not results.study.final:
        return None
    blocks: list[Block] = [Prose(_HOW_TO_READ.format(folds=results.study.folds[0]))]
    for i, (dataset, classifier) in enumerate(results.study.models):
        title = f"{dataset}: {results.labels[classifier]}"
        sizes = results.model(dataset, classifier)["signature"].groupby("class", sort=False).size()
        note = ", ".join(f"{label} {n}" for label, n in sizes.items())
        content = list(_model(results, dataset, classifier))
        note = note or "uses all features for every class"
        blocks.append(Group(title, content, note, opened=i == 0))
    return Section(
        "signature",
        "Signatures and models",
        "What a classifier fitted on all samples uses, and files to go on with.",
        blocks,
    )


_HOW_TO_READ = (
    "These classifiers are fitted on all samples. How good they are, and the share of folds that "
    "select a feature, was found by cross-validation ({folds}), which fits anew without the tested "
    "samples. Predict with “xnbflow predict MODEL TABLE”."
)


def _model(results: StudyResults, dataset: str, classifier: str) -> Iterator[Block]:
    tables = results.model(dataset, classifier)
    signature, drawn = tables["signature"], tables["heatmap"]
    if len(drawn):
        yield _heatmap(results, dataset, classifier, drawn)
    if len(signature):
        yield _table(tables, signature)
    key = {"dataset": dataset, "classifier": classifier}
    table = MODEL_TABLE.of(**key, table="signature")
    paths = (MODEL.of(**key), GENE_SETS.of(**key), text_of(table), table)
    files = [results.beside(path) for path in paths]
    yield Links([(f"{dataset}, {results.labels[classifier]}", _FILES, files)])


_FILES = (
    "the model (skops, for the command xnbflow and for xnbflow.models.read_model), a gene set per "
    "class and direction for enrichment tools (GMT), the signature as a table"
)


def _heatmap(results: StudyResults, dataset: str, classifier: str, drawn: pd.DataFrame) -> Figure:
    wide = drawn.pivot(index="row", columns="column", values="z")
    rows = drawn.drop_duplicates("row").sort_values("row")
    samples = drawn.drop_duplicates("column").sort_values("column")
    names = [f"{s} ({f})" if s else f for f, s in rows[["feature", "symbol"]].to_numpy()]
    classes = samples["class"].tolist()
    return Figure(
        f"heatmap-{dataset}-{classifier}",
        draw_heatmap,
        {"z": wide.to_numpy(), "rows": names, "classes": classes},
        "The best features of every class in each sample: standardised, samples class by class, "
        "features ordered so that neighbours are alike (average linkage). All samples took part in "
        "the choice: that classes look apart here proves nothing; cross-validation does.",
        f"Heat map of {counted(len(names), 'feature')} in {counted(len(classes), 'sample')} of "
        f"{counted(len(np.unique(classes)), 'class')}, by {results.labels[classifier]}.",
        results.model(dataset, classifier).sources("heatmap"),
    )


_SHOWN = ("class", "rank", "feature", "symbol", "direction", "share_of_folds", "interchangeable",
          "weight", "core", "median_in", "median_out")  # fmt: skip
#: Columns that are left out where they are empty in every row.
_WHERE_KNOWN = ("symbol", "interchangeable")
#: Classes from which on a table names the nearest of the others instead of a distance to each.
_MANY_CLASSES = 6


def _table(tables: StudyTables, signature: pd.DataFrame) -> Table:
    rows = signature.sort_values("rank", kind="stable").head(_MOST_ROWS).sort_index()
    rest = len(signature) - len(rows)
    more = f" {rest:,} more are in the file." if rest else ""
    empty = [name for name in _WHERE_KNOWN if not rows[name].astype(bool).any()]
    far = rows.filter(regex=r"^distance_to\.")
    what = "distances, to each other class"
    if len(far.columns) >= _MANY_CLASSES:
        near = far.fillna(np.inf).idxmin(axis=1).str.removeprefix("distance_to.")
        near = near.where(far.notna().any(axis=1), "")
        far = pd.DataFrame({"nearest class": near, "distance to it": far.min(axis=1)})
        what = "distance, to the nearest of the other classes"
    pages = [gene_page(*row) for row in rows[["symbol", "feature"]].to_numpy()]
    return tables.show(
        "signature",
        "The signature: the direction compares the class with every other one, by the medians (by "
        "the means where these are all equal), median out is that of all other samples together; "
        f"{what}, from 0 to 1.{' Links lead to NCBI Gene.' if any(pages) else ''}{more}",
        [*(name for name in _SHOWN if name not in empty), *far],
        rows.drop(columns=far, errors="ignore").join(far),
        own={"distance to it": ".2f"},
        links={"feature" if "symbol" in empty else "symbol": pages},
    )


#: What symbols of genes look like; other names of features are no genes that NCBI knows.
_SYMBOL = re.compile(r"[A-Z][A-Z0-9]+(orf[0-9]+)?(-[A-Z0-9]+)*")


def gene_page(symbol: str, feature: str) -> str:
    """Return where NCBI tells of a gene: by its symbol, else by the feature's name.

    Examples
    --------
    >>> gene_page("HLA-A", "p1"), gene_page("", "1007_s_at"), gene_page("", "worst radius")
    ('https://www.ncbi.nlm.nih.gov/gene/?term=HLA-A', '', '')
    >>> gene_page("NA", "NA"), gene_page("1-Mar", "p1")
    ('', '')
    """
    term = symbol.partition("///")[0].strip() or (feature if _SYMBOL.fullmatch(feature) else "")
    if is_missing(term) or is_date(term):
        return ""
    return f"https://www.ncbi.nlm.nih.gov/gene/?term={quote_plus(term)}"
