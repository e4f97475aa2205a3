"""The signature: features of a classifier of all samples, as tables, figures and files."""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote_plus

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.report.drawings.gene import draw_gene
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Links, Prose, Section, Table
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.sources.cell_texts import is_date, is_missing
from xnbflow.tables.contract import GENE_SETS, MODEL, MODEL_TABLE, text_of

#: Rows of the table of a model.
_MOST_ROWS = 200


def section(results: StudyResults) -> Section | None:
    """Return the signatures; None where the study keeps no classifier."""
    if not results.study.final:
        return None
    how_to_read = _HOW_TO_READ.format(folds=results.study.folds[0])
    blocks: list[Block] = [Prose(how_to_read, "help")]
    for i, model in enumerate(results.study.models):
        if len(results.study.models) == 1:
            blocks += _model(results, *model)
            break
        signature = results.model(*model)["signature"]
        sizes = signature.groupby("class", sort=False).size()
        note = ", ".join(f"{label} {n}" for label, n in sizes.items())
        note = note or "uses all features for every class"
        title = f"{model[0]}: {results.labels[model[1]]}"
        blocks.append(Group(title, list(_model(results, *model)), note, opened=i == 0))
    return Section(
        "signature",
        "Signatures and models",
        "What a classifier fitted on all samples uses, and files to go on with.",
        blocks,
    )


_HOW_TO_READ = (
    "These classifiers are fitted on all samples; their accuracy and the share of folds that "
    "select a feature come from cross-validation ({folds}). Folds share most of their training "
    "samples; disjoint halves share none, so that the share of halves shows how often a study of "
    "half the size selects the feature. Predict with “xnbflow predict MODEL TABLE”."
)
_FILES = (
    "the model (skops, for the command xnbflow and for xnbflow.models.read_model), a {noun} set "
    "per class and direction for enrichment tools (GMT), the signature as a table"
)
_CORE = (
    "The core set, {n} of {of}, is the short list to measure. Alone it has an accuracy of "
    "{accuracy:.1%} (balanced {balanced_accuracy:.1%}) in the inner folds of the fit on all "
    "samples, where each fold is tested with the size that the other folds choose. The accuracy of "
    "the model is from other folds, so that the core may seem more accurate than the model."
)
_HEATMAP = (
    "The best features of every class, standardised; samples class by class, similar features "
    "side by side (average linkage). The features were selected on these samples, so that the "
    "classes differ here in any case: see cross-validation."
)


def _model(results: StudyResults, dataset: str, classifier: str) -> Iterator[Block]:
    tables = results.model(dataset, classifier)
    key = {"study": results.study.id, "dataset": dataset, "classifier": classifier}
    drawn, label = tables["heatmap"], results.labels[classifier]
    on_card = classifier == results.tables["headline"]["classifier"].iloc[0]
    if len(drawn) and not (on_card and tables["signature"]["core"].any()):
        name, sources = f"heatmap-{dataset}-{classifier}", tables.sources("heatmap")
        n_samples = int(results.rows("datasets", dataset=dataset)["samples"].iloc[0])
        phenotype = results.rows("components", dataset=dataset)
        yield heatmap_figure(name, drawn, _HEATMAP, sources, n_samples, phenotype)
    boxes = core_boxes(results, dataset, classifier)
    if len(boxes) > on_card:  # a single one is on the card
        files = results.diagnosed(dataset).sources("gene_values")
        yield Gallery(boxes, results.worded(_BOXES, dataset), files)
    if len(tables["signature"]):
        note = counted(len(tables["signature"]), "row")
        yield Group("Table of the signature", [_table(tables, tables["signature"])], note)
    for core in tables["core"].to_dict("records"):
        n = counted(core["features"], results.noun(dataset))
        text = _CORE.format(**core, n=n, of=f"{core['features_used']:,}")
        yield Prose(text, sources=tables.sources("core"))
    table = MODEL_TABLE.of(**key, table="signature")
    paths = (MODEL.of(**key), GENE_SETS.of(**key), text_of(table), table)
    content = results.worded(_FILES, dataset)
    yield Links([(f"{dataset}, {label}", content, [results.beside(path) for path in paths])])


_BOXES = (
    "The first {noun}s of the core set: samples over the quartiles and the median of their "
    "class; lines join the samples of a group, colours are batches."
)


def core_boxes(results: StudyResults, dataset: str, classifier: str, most: int = 4) -> list[Figure]:
    """Return the values of the first core features of a model by class; only few are known."""
    signature = results.model(dataset, classifier)["signature"]
    core = signature[signature["core"]].sort_values("rank", kind="stable")
    first = core.groupby("class").cumcount().sort_values(kind="stable").index  # of every class
    core = core.loc[first].drop_duplicates("feature")
    tables = results.diagnosed(dataset)
    figures: list[Figure] = []
    values = dict(iter(tables["gene_values"].groupby("feature"))) if len(core) else {}
    unit = "value" if tables["genes"]["log_fold_change"].isna().all() else "log value"
    for row in core[core["feature"].isin(values)].head(most).to_dict("records"):
        name = f"core-{dataset}-{classifier}-{len(figures) + 1}"
        figures.append(gene_figure(name, values[row["feature"]], row["symbol"], unit))
    return figures


def gene_figure(name: str, values: pd.DataFrame, symbol: str, unit: str) -> Figure:
    """Return box plots with points of a feature, from its rows of the table ``gene_values``."""
    feature = values["feature"].iloc[0]
    title = f"{symbol} ({feature})" if symbol and symbol != feature else feature
    arguments = {"title": title, "values": values["value"].to_numpy(), "ylabel": unit}
    arguments |= {"classes": values["class"].tolist(), "groups": values["group"].tolist()}
    arguments["batches"] = values["batch"].tolist()
    alt = f"Box plots of {title} by class, with a point for each of {len(values):,} samples."
    extra = {"samples": values["sample"].tolist()}
    return Figure(name, draw_gene, arguments, "", alt, extra=extra)


def heatmap_figure(
    name: str,
    drawn: pd.DataFrame,
    caption: str,
    sources: Sequence[str],
    n_samples: int,
    phenotype: pd.DataFrame,
) -> Figure:
    """Return the heat map of a table of features by samples, ``row`` by ``column``.

    If these are fewer than ``n_samples``, those of the series, the caption has the numbers.
    ``phenotype`` are rows of the table ``components``: batch, sex and age of the samples. A series
    of more samples than it has is drawn without.
    """
    rows = drawn.drop_duplicates("row").sort_values("row")
    pairs = zip(rows["feature"], rows["symbol"], strict=True)
    names = [f"{symbol} ({feature})" if symbol else feature for feature, symbol in pairs]
    shown = drawn.drop_duplicates("column").sort_values("column")
    classes = shown["class"].tolist()
    known = phenotype.set_index("sample").filter(regex=r"^phenotype\.").reindex(shown["sample"])
    known = known.fillna("") if set(shown["sample"]) <= set(phenotype["sample"]) else known[:0]
    tracks = {
        column.removeprefix("phenotype."): cells.tolist()
        for column, cells in known.items()
        if (cells != "").any()
    }
    z = drawn.pivot(index="row", columns="column", values="z").to_numpy()
    alt = (
        f"Heat map of {counted(len(names), 'feature')} in {counted(len(classes), 'sample')} of "
        f"{counted(len(set(classes)), 'class')}."
    )
    if len(classes) < n_samples:
        caption += f" {len(classes):,} of {n_samples:,} samples are shown, of each class its share."
    if tracks:
        caption += f" Strips: class, {', '.join(tracks)}; empty where unknown."
    arguments = {"z": z, "rows": names, "classes": classes, "tracks": tracks}
    samples = shown["sample"].tolist()
    extra = {"samples": samples}
    return Figure(name, draw_heatmap, arguments, caption, alt, sources, extra)


_SHOWN = ("class", "rank", "feature", "symbol", "direction", "share_of_folds", "share_of_halves",
          "interchangeable", "weight", "core", "median_in", "median_out")  # fmt: skip
#: Classes from which on a table names the nearest of the others instead of a distance to each.
_MANY_CLASSES = 6


def _table(tables: StudyTables, signature: pd.DataFrame) -> Table:
    rows = signature.sort_values("rank", kind="stable").head(_MOST_ROWS).sort_index()
    rest = len(signature) - len(rows)
    more = f" {rest:,} more are in the file." if rest else ""
    shown = [name for name in _SHOWN if name != "interchangeable" or rows[name].any()]
    far = rows.filter(regex=r"^distance_to\.")
    if len(far.columns) >= _MANY_CLASSES:
        near = far.fillna(np.inf).idxmin(axis=1).str.removeprefix("distance_to.")
        near = near.where(far.notna().any(axis=1), "")
        far = pd.DataFrame({"nearest class": near, "distance to it": far.min(axis=1)})
    pages = list(map(gene_page, rows["symbol"], rows["feature"]))
    return tables.show(
        "signature",
        "The signature, with the distances from other classes, 0 to 1."
        f"{' Links lead to NCBI Gene.' if any(pages) else ''}{more}",
        [*shown, *far],
        rows.drop(columns=far, errors="ignore").join(far),
        own={"distance to it": ".2f"},
        links={"symbol" if (rows["symbol"] != "").any() else "feature": pages},
    )


#: Form of gene symbols.
_SYMBOL = re.compile(r"[A-Z][A-Z0-9]+(orf[0-9]+)?(-[A-Z0-9]+)*")
#: Identifiers of probes in this form: accessions of GenBank, controls, and numbered ones.
_PROBE = re.compile(r"[A-Z]\d{5}|[A-Z]{2}\d{6,8}|AFFX-.*|(GENE|GSM|PROBE|TC|V|X)\d+")


def gene_term(symbol: str, feature: str) -> str:
    """Return NCBI's search term of a gene: its symbol, or the feature's name if that is one."""
    name = feature if _SYMBOL.fullmatch(feature) and not _PROBE.fullmatch(feature) else ""
    term = symbol.partition("///")[0].strip() or name
    return "" if is_missing(term) or is_date(term) else term


def gene_page(symbol: str, feature: str) -> str:
    """Return NCBI's page of a gene, see `gene_term`; empty if unknown."""
    term = gene_term(symbol, feature)
    return f"https://www.ncbi.nlm.nih.gov/gene/?term={quote_plus(term)}" if term else ""
