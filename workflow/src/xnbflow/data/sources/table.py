"""A table of one's own: text, workbook, ARFF or Parquet, samples in rows or columns."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.annotation import standard_names
from xnbflow.data.sources.assembly import Draft, assemble
from xnbflow.data.sources.cell_texts import category_codes, is_date, is_missing
from xnbflow.data.sources.download import Downloads
from xnbflow.data.sources.geo import fetch_accession
from xnbflow.data.sources.kinds import FeatureKinds, matches
from xnbflow.data.sources.labels import UNLABELLED, listed, plain_text
from xnbflow.data.sources.phenotype import joined, read_phenotype
from xnbflow.data.sources.sheet_row import SheetRow, is_accession
from xnbflow.data.sources.tabular import opened_table, suffix_of
from xnbflow.data.sources.turned import Content, samples_in_columns, samples_in_rows

__all__ = ["load", "read_table"]


def load(dataset: SheetRow, downloads: Downloads) -> DataSet:
    """Get a table from its path or URL, and read it as its row of the sheet says."""
    path = _fetched(dataset.location, dataset.id, downloads, dataset.sha256)
    if phenotype := dataset.options.get("phenotype"):
        if is_accession(phenotype):
            local = fetch_accession(dataset.id, phenotype, downloads)
        else:
            local = _fetched(phenotype, f"{dataset.id}-phenotype", downloads, None)
        dataset = replace(dataset, options=dataset.options | {"phenotype": str(local)})
    return read_table(path, dataset)


def _fetched(location: str, name: str, downloads: Downloads, sha256: str | None) -> Path:
    suffixes = "".join(Path(urlsplit(location).path).suffixes[-2:])
    return downloads.fetch_location("table", location, name=name + suffixes, sha256=sha256)


def read_table(path: str | Path, dataset: SheetRow) -> DataSet:
    r"""Read a table.

    Parameters
    ----------
    path : path
        CSV (comma), TSV (``.tsv``, ``.tab``, ``.txt``; tabs), plain or gzipped, as R's write.csv
        and write.table write it, too; a workbook (``.xlsx``, ``.xls``, ``.ods``), ``.arff``,
        Parquet or AnnData's ``.h5ad``. It has a header.
    dataset : SheetRow
        Where samples stand in rows, ``label`` and ``id_column`` name columns, and without the
        latter samples are called by the first column if that has no name, else 0, 1, ...; where
        they stand in columns, ``label`` names the row of labels, and ``id_column`` the column of
        row names (the first without). Its options:

        - ``angular=wind:degrees,hour:24``: angles with their unit, ``degrees``, ``radians`` or
          the period; they become radians.
        - ``categorical=sex,stage``: categories, which become codes 0, 1, ... in the order of the
          numbers if all are numbers, else of the alphabet.
        - ``drop=note``: what is no feature; ``features=*_at``: what is, and nothing else.
        - ``separator=semicolon`` (comma, tab, semicolon, space, pipe), ``decimal=comma``,
          ``sheet=Sheet2`` of a workbook.
        - ``phenotype=pheno.tsv``: another table, a row per sample, for label, group and what else
          is known; its column of sample names is ``phenotype_id``, else the first. Or a series
          matrix or an accession of GEO (``phenotype=GSE4107``), for ``label`` and ``group`` as of
          source geo; its sample names are accessions (GSM...), or ``phenotype_id=title``.
        - ``matrix=X`` (or ``raw``, ``layers:counts``) of an ``.h5ad`` file.
        - those of `xnbflow.data.sources.assembly.assemble`.

        Names may be patterns with ``*`` and ``?``. All other features are linear.

    Returns
    -------
    DataSet

    Raises
    ------
    InputError
        If something in the file or the options is wrong; the message says where.

    Examples
    --------
    >>> import tempfile
    >>> row = SheetRow("toy", "table", label="site", options={"angular": "wind:degrees"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "toy.csv")
    ...     _ = path.write_text("site,wind,speed\nnorth,90,3\nsouth,180,5\n")
    ...     series = read_table(path, row)
    >>> series.features.tolist(), series.kinds.tolist(), series.values.round(2).tolist()
    (['wind', 'speed'], ['angular', 'linear'], [[1.57, 3.14], [3.0, 5.0]])
    """
    path = Path(path)
    if suffix_of(path) == ".h5ad":
        from xnbflow.data.sources.h5ad import read_h5ad  # noqa: PLC0415 - an extra

        return read_h5ad(path, dataset)
    phenotype = None
    if location := dataset.options.get("phenotype"):
        phenotype = read_phenotype(location, dataset)
    with opened_table(path, dataset.options) as table:
        if not table.header:
            msg = f"{path} has no header; get it again"
            raise InputError(msg)
        kinds = FeatureKinds.of(dataset)
        if dataset.orientation == "rows":  # of columns only reading can tell
            _refuse_idle_patterns(path, kinds, table.header, phenotype)
        turn = samples_in_rows if dataset.orientation == "rows" else samples_in_columns
        content = turn(path, dataset, kinds, table, phenotype)
        content.notes += getattr(table, "notes", [])
    settled = _settle_kinds(dataset, kinds, content)
    return assemble(dataset, _draft(path, dataset, content, settled, phenotype))


def _draft(
    path: Path,
    dataset: SheetRow,
    content: Content,
    kinds: list[str],
    phenotype: pd.DataFrame | None,
) -> Draft:
    where = f"data set {dataset.id}: {path}"
    _refuse_bad_names(path, "feature", content.features, content.feature_place, repeat=True)
    _refuse_bad_names(path, "sample", content.samples, content.sample_place)
    _note_no_genes(content)
    metadata = pd.DataFrame(
        {name: text for name, text in content.texts.items() if name not in content.features},
        dtype=object,
        index=range(len(content.samples)),
    )
    values, samples, place = content.values, np.asarray(content.samples, dtype=str), content.place
    label_place = f"label {dataset.label!r}"
    if phenotype is not None:
        keep, rows, notes = joined(where, samples, phenotype)
        content.notes += notes
        if not keep.all():
            kept = np.flatnonzero(keep)
            values, samples = np.ascontiguousarray(values[:, keep]), samples[keep]
            place = lambda feature, sample: content.place(feature, int(kept[sample]))  # noqa: E731
        metadata = metadata.loc[keep].reset_index(drop=True)
        _refuse_contradictions(where, dataset, samples, metadata, rows)
        metadata = pd.concat([metadata.drop(columns=list(rows), errors="ignore"), rows], axis=1)
    if dataset.label is None:  # samples to predict: no row of a sheet is without
        labels = pd.Series(UNLABELLED, index=metadata.index)
    else:
        labels = metadata.pop(dataset.label)
    feature_metadata = standard_names(pd.DataFrame(content.feature_texts, dtype=object))
    return Draft(
        where,
        values,
        content.features,
        samples,
        list(labels),
        label_place,
        metadata,
        kinds,
        feature_metadata if len(feature_metadata.columns) else None,
        place,
        content.notes,
    )


def _refuse_contradictions(
    where: str,
    dataset: SheetRow,
    samples: np.ndarray,
    table: pd.DataFrame,
    phenotype: pd.DataFrame,
) -> None:
    """Refuse a label or group that table and phenotype file give differently."""
    for name in (dataset.label, dataset.options.get("group")):
        if name not in table or name not in phenotype:
            continue
        differs = (table[name].map(plain_text) != phenotype[name].map(plain_text)).to_numpy()
        if differs.any():
            i = int(np.argmax(differs))
            msg = (
                f"{where}: {name!r} of sample {str(samples[i])!r} is {table[name][i]!r} in the "
                f"table, {phenotype[name][i]!r} in the phenotype file ({differs.sum()} differ); "
                "correct one, or name another column"
            )
            raise InputError(msg)


def _settle_kinds(dataset: SheetRow, kinds: FeatureKinds, content: Content) -> list[str]:
    """Fill in codes of categories and turn angles to radians; return each feature's kind."""
    settled = ["linear"] * len(content.features)
    literal = set(dataset.names("literal"))
    for row in content.coded:
        cells = content.texts[content.features[row]]
        known = [i for i, c in enumerate(cells) if c in literal or not is_missing(c)]
        content.values[row] = np.nan
        content.values[row, known] = category_codes([cells[i] for i in known])
        settled[row] = "categorical"
    for row, name in enumerate(content.features) if kinds.angular else ():
        period = kinds.period(name)
        if settled[row] == "linear" and period is not None:
            content.values[row] *= 2 * math.pi / period
            settled[row] = "angular"
    return settled


def _refuse_idle_patterns(
    path: Path, kinds: FeatureKinds, header: Sequence[str], phenotype: pd.DataFrame | None
) -> None:
    """Refuse patterns of names that match nothing."""
    names = [*header, *(phenotype if phenotype is not None else ())]
    for option, patterns in kinds.patterns.items():
        for pattern in patterns:
            if not any(matches(name, [pattern]) for name in names):
                msg = (
                    f"{path}: the sheet's option {option} has {pattern!r}, but nothing is called "
                    f"so; there are {listed(names)} ({len(names)} in all). Correct the option"
                )
                raise InputError(msg)


def _refuse_bad_names(
    path: Path,
    what: str,
    names: Sequence[str],
    place: Callable[[int], str],
    *,
    repeat: bool = False,
) -> None:
    """Refuse what has no name, and names that repeat unless that is settled later."""
    if not names:
        msg = f"{path}: there are no {what}s; check label, id_column, orientation and drop"
        raise InputError(msg)
    if len(set(names)) == len(names) and "" not in names:
        return
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if not name:
            msg = f"{path}, {place(i)}: the {what} has no name; name it, or drop it"
            raise InputError(msg)
        if name in first and not repeat:
            msg = (
                f"{path}, {place(i)}: {what} name {name!r} stands in {place(first[name])}, too; "
                f"make {what} names unique"
            )
            raise InputError(msg)
        first[name] = i


def _note_no_genes(content: Content) -> None:
    """Note names that are no genes' any more: dates that Excel made, and words for nothing."""
    dates = [name for name in content.features if is_date(name)]
    if dates:
        content.notes.append(
            f"{counted(len(dates), 'feature name', 'is a date', 'are dates')} ({listed(dates)}): "
            "Excel makes dates of gene symbols such as SEPT2 and MARCH1; correct them"
        )
    nothing = [name for name in content.features if is_missing(name)]
    if nothing:
        content.notes.append(
            f"{counted(len(nothing), 'feature', 'is', 'are')} called {listed(nothing)}, as "
            "where a probe has no gene: name a gene, or leave it out by drop="
        )
