"""A job of *genes*: the comparisons of single features of a data set, by the design of a study."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from xnbflow.core.atomic import write_atomically
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.gene_set_files import (
    GeneSetFile,
    fetch_gene_sets,
    read_gene_sets,
    with_files,
)
from xnbflow.diagnostics.gene_tables import gene_tables
from xnbflow.diagnostics.limma_script import limma_script
from xnbflow.tables.contract import GROUPS, LIMMA_SCRIPT
from xnbflow.tables.storage import write_tables


def compare_features(
    series: Path,
    design: Design,
    *,
    gene_set_files: Mapping[str, Path] = MappingProxyType({}),
    gene_set_urls: Sequence[str] = (),
    downloads: Mapping[str, Any],
    folder: Path,
) -> None:
    """Write the comparisons of the features of a series, and of gene sets, into a folder.

    Beside the tables is the script that repeats the comparisons in R. ``gene_set_files`` are those
    of the user and of the project by the places that the configuration names, ``gene_set_urls``
    public ones, which are downloaded by the settings ``downloads`` of the configuration. See
    `xnbflow.diagnostics.gene_tables.gene_tables`.
    """
    files = [GeneSetFile(path, place) for place, path in gene_set_files.items()]
    files += fetch_gene_sets(gene_set_urls, downloads)
    sets = read_gene_sets(*(file.path for file in files))
    data = DataSet.read(series)
    tables = gene_tables(data, design, sets)
    tables["gene_set_tests"] = with_files(tables["gene_set_tests"], files)
    write_tables(tables, folder, GROUPS["genes"].tables)
    script = limma_script(data, design)
    path = folder / Path(LIMMA_SCRIPT).name
    write_atomically(path, lambda part: part.write_text(script, encoding="utf-8"))
