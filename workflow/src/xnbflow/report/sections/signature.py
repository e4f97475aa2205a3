"""The signature: features of a classifier of all samples, as tables, figures and files."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote_plus

import pandas as pd

from xnbflow.core.nouns import counted
from xnbflow.data.gene_names import is_symbol, split_genes
from xnbflow.report.drawings.gene import draw_gene
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Links, Prose, Section, Table
from xnbflow.report.results import PageTables, StudyResults
from xnbflow.report.texts import texts_of
from xnbflow.sources.formats.cell_texts import is_date, is_missing
from xnbflow.tables.contract import GENE_SETS, GROUPS, MODEL, text_of

_TEXTS = texts_of("signature")
#: Rows of the table of a model.
_MOST_SIGNATURE_ROWS = 200
#: Prefix of the columns of the phenotype in the table ``samples`` of the audit.
_PHENOTYPE = "phenotype."
#: The category of rare values in these columns, and the share of samples with it from which on a
#: column is a text about each sample, such as a description, and no strip.
_OTHERS = "others"
#: Columns of GEO that are such texts by their names, also where few samples differ in them.
_FREE_TEXTS = ("description",)
_MOST_OTHERS = 0.5
_SHOWN = ("class", "rank", "feature", "symbol", "direction", "share_of_folds", "share_of_halves",
          "interchangeable", "weight", "core", "median_in", "median_out")  # fmt: skip


def section(results: StudyResults) -> Section | None:
    """Return the signatures; None where the study keeps no classifier."""
    if not results.study.final:
        return None
    how_to_read = _TEXTS["how_to_read"].format(folds=results.study.folds[0], noun=results.noun())
    blocks: list[Block] = [Prose(how_to_read, "help")]
    models = results.study.models
    if len(models) == 1:
        blocks += _blocks_of_model(results, *models[0])
    else:
        blocks += [
            _group_of_model(results, *model, opened=i == 0) for i, model in enumerate(models)
        ]
    return Section(
        "signature",
        "Signatures and models",
        "What a classifier fitted on all samples uses, and files to go on with.",
        blocks,
    )


def _group_of_model(results: StudyResults, dataset: str, classifier: str, *, opened: bool) -> Group:
    """Return one of several models, with the number of features of each class."""
    sizes = (
        results.tables_of("model", dataset=dataset, classifier=classifier)["signature"]
        .groupby("class", sort=False)
        .size()
    )
    note = ", ".join(f"{label} {n}" for label, n in sizes.items())
    return Group(
        f"{dataset}: {results.labels[classifier]}",
        list(_blocks_of_model(results, dataset, classifier)),
        note or "uses all features for every class",
        opened=opened,
    )


def _blocks_of_model(results: StudyResults, dataset: str, classifier: str) -> Iterator[Block]:
    """Yield figures, table, core and files of a model; the card shows what is left out here."""
    tables = results.tables_of("model", dataset=dataset, classifier=classifier)
    signature = tables["signature"]
    is_on_card = classifier == results.tables["headline"]["classifier"].iloc[0]
    core_is_on_card = is_on_card and signature["core"].any()
    if len(tables["heatmap"]) and not core_is_on_card:
        yield heatmap_figure(
            name=f"heatmap-{dataset}-{classifier}",
            cells=tables["heatmap"],
            caption=results.with_noun(_TEXTS["heatmap"], dataset),
            sources=tables.sources("heatmap"),
            n_samples=int(results.rows("datasets", dataset=dataset)["samples"].iloc[0]),
            phenotype=results.tables_of("audit", dataset=dataset)["samples"],
            noun=results.noun(dataset),
        )
    boxes = core_boxes(results, dataset, classifier)
    fewest_boxes = 2 if is_on_card else 1  # a single one is on the card
    if len(boxes) >= fewest_boxes:
        files = results.tables_of("genes", dataset=dataset).sources("gene_values")
        yield Gallery(boxes, results.with_noun(_TEXTS["boxes"], dataset), files)
    if len(signature):
        note = counted(len(signature), "row")
        yield Group("Table of the signature", [_signature_block(tables, signature)], note)
    if len(signature) and "core_score.accuracy" in signature:
        first = signature.iloc[0]
        n_core = signature.loc[signature["core"].astype(bool), "feature"].nunique()
        text = _TEXTS["core"].format(
            n=counted(n_core, results.noun(dataset)),
            of=f"{signature['feature'].nunique():,}",
            accuracy=first["core_score.accuracy"],
            balanced_accuracy=first["core_score.balanced_accuracy"],
        )
        yield Prose(text, sources=tables.sources("signature"))

    # The links to the model, its gene sets and its signature.
    key = {"study": results.study.id, "dataset": dataset, "classifier": classifier}
    table = GROUPS["model"].path.of(**key, table="signature")
    paths = (MODEL.of(**key), GENE_SETS.of(**key), text_of(table), table)
    title = f"{dataset}, {results.labels[classifier]}"
    content = results.with_noun(_TEXTS["files"], dataset)
    yield Links([(title, content, [results.relative_path(path) for path in paths])])


def core_boxes(results: StudyResults, dataset: str, classifier: str, most: int = 4) -> list[Figure]:
    """Return the values of the first core features of a model by class.

    The first features of every class come before the second ones. Only features in the table
    ``gene_values`` are drawn.
    """
    signature = results.tables_of("model", dataset=dataset, classifier=classifier)["signature"]
    core = signature[signature["core"]].sort_values("rank", kind="stable")
    if core.empty:
        return []
    position_in_class = core.groupby("class").cumcount()
    core = core.loc[position_in_class.sort_values(kind="stable").index].drop_duplicates("feature")
    tables = results.tables_of("genes", dataset=dataset)
    unit = "value" if tables["genes"]["log_fold_change"].isna().all() else "log value"
    gene_values = tables["gene_values"]
    shown = core[core["feature"].isin(gene_values["feature"].unique())].head(most)
    values_shown = gene_values[gene_values["feature"].isin(shown["feature"])]
    values = dict(iter(values_shown.groupby("feature")))
    return [
        _gene_figure(
            f"core-{dataset}-{classifier}-{number}", values[row["feature"]], row["symbol"], unit
        )
        for number, row in enumerate(shown.to_dict("records"), start=1)
    ]


def _gene_figure(name: str, values: pd.DataFrame, symbol: str, unit: str) -> Figure:
    """Return box plots with points of a feature, from its rows of the table ``gene_values``."""
    feature = values["feature"].iloc[0]
    title = f"{symbol} ({feature})" if symbol and symbol != feature else feature
    return Figure(
        name=name,
        draw=draw_gene,
        arguments={
            "title": title,
            "values": values["value"].to_numpy(),
            "ylabel": unit,
            "classes": values["class"].tolist(),
            "groups": values["group"].tolist(),
            "batches": values["batch"].tolist(),
            "samples": values["sample"].tolist(),
        },
        caption="",
        alt=f"Box plots of {title} by class, with a point for each of {len(values):,} samples.",
    )


def heatmap_figure(
    *,
    name: str,
    cells: pd.DataFrame,
    caption: str,
    sources: Sequence[str],
    n_samples: int,
    phenotype: pd.DataFrame,
    noun: str = "feature",
) -> Figure:
    """Return the heat map of a table of features by samples, ``row`` by ``column``.

    If fewer than the ``n_samples`` of the series are drawn, the caption has both numbers.
    ``phenotype`` are rows of the table ``samples`` of the audit: batch, sex and age of the
    samples. If a drawn sample has no row there, no strips are drawn. ``noun`` is the word for a
    feature.
    """
    rows = cells.drop_duplicates("row").sort_values("row")
    columns = cells.drop_duplicates("column").sort_values("column")
    names = [
        f"{symbol} ({feature})" if symbol else feature
        for feature, symbol in zip(rows["feature"], rows["symbol"], strict=True)
    ]
    classes = columns["class"].tolist()
    strips = _strips(columns["sample"], phenotype)
    if len(classes) < n_samples:
        caption += (
            f" {len(classes):,} of {n_samples:,} samples are shown, in proportion to the class "
            "sizes."
        )
    if strips:
        caption += f" Strips: class, {', '.join(strips)}; empty where unknown."
    size = f"{counted(len(names), noun)} in {counted(len(classes), 'sample')}"
    return Figure(
        name=name,
        draw=draw_heatmap,
        arguments={
            "z": cells.pivot(index="row", columns="column", values="z").to_numpy(),
            "rows": names,
            "classes": classes,
            "tracks": strips,
            "samples": columns["sample"].tolist(),
        },
        caption=caption,
        alt=f"Heat map of {size} of {counted(len(set(classes)), 'class')}.",
        sources=sources,
    )


def _strips(samples: pd.Series, phenotype: pd.DataFrame) -> dict[str, list[str]]:
    """Return the columns of the phenotype with a value; none if a sample has no phenotype."""
    if not set(samples) <= set(phenotype["sample"]):
        return {}
    columns = phenotype.set_index("sample").filter(regex=rf"^{_PHENOTYPE}")
    columns = columns.reindex(samples).fillna("")
    strips = {}
    for name, texts in columns.items():
        is_free_text = (texts == _OTHERS).mean() > _MOST_OTHERS
        is_free_text |= str(name).removeprefix(_PHENOTYPE) in _FREE_TEXTS
        if (texts != "").any() and not is_free_text:
            strips[str(name).removeprefix(_PHENOTYPE)] = texts.tolist()
    return strips


def _signature_block(tables: PageTables, signature: pd.DataFrame) -> Table:
    """Return the first rows of a signature by rank, in the order of its classes."""
    rows = signature.sort_values("rank", kind="stable").head(_MOST_SIGNATURE_ROWS).sort_index()
    rest = len(signature) - len(rows)
    pages = list(map(gene_page, rows["symbol"], rows["feature"]))
    caption = "The signature."
    if any(pages):
        caption += " Links lead to NCBI Gene."
    if rest:
        caption += f" {rest:,} more are in the file."
    columns = [name for name in _SHOWN if name != "interchangeable" or rows[name].any()]
    return tables.show(
        "signature",
        caption,
        columns,
        rows,
        links={"symbol" if (rows["symbol"] != "").any() else "feature": pages},
    )


def gene_term(symbol: str, feature: str) -> str:
    """Return NCBI's search term of a gene: its symbol, or the feature's name if that is one."""
    genes = split_genes(symbol) or list(filter(is_symbol, split_genes(feature)))
    term = genes[0] if genes else ""
    return "" if is_missing(term) or is_date(term) else term


def gene_page(symbol: str, feature: str) -> str:
    """Return NCBI's page of a gene, see `gene_term`; empty if unknown."""
    term = gene_term(symbol, feature)
    return f"https://www.ncbi.nlm.nih.gov/gene/?term={quote_plus(term)}" if term else ""
