"""Gene sets in the lists of genes of a study: those of its files, and those of known artefacts.

These tables need the signatures of the models, which are fitted while the other tables of the study
are made.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from xnbflow.core.deferred import DeferredModule
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.studies.artefacts import artefacts
from xnbflow.studies.enrichment import enrichment, read_gene_sets
from xnbflow.tables.contract import (
    COHORT_TABLES,
    GENE_LIST_TABLES,
    GENE_TABLES,
    MODEL_TABLES,
    STUDY_TABLES,
)
from xnbflow.tables.storage import read_tables, write_tables

if TYPE_CHECKING:
    from xnbflow.studies import gene_set_tests, prerank
else:  # linear models and their kernels: only studies with gene sets use them
    gene_set_tests = DeferredModule("xnbflow.studies.gene_set_tests")
    prerank = DeferredModule("xnbflow.studies.prerank")

#: Columns of the table of genes that `artefacts` reads.
_NAMES_OF_GENES = ("class", "feature", "symbol", "rank")


def enrich(files: Any, params: Any, outputs: Any, threads: int, check: Callable[[], None]) -> None:
    """Make and write the tables of gene sets of a study, a job of the stage *enrich*.

    ``files``, ``params`` and ``outputs`` are those of the rule; see `gene_list_tables`. ``check``
    is called before files are written.
    """
    designs = {name: Design(**design) for name, design in params.designs.items()}
    tables = gene_list_tables(params.owners, files, designs, threads)
    check()
    folder = Path(outputs[0]).parent
    write_tables(tables, folder, GENE_LIST_TABLES, others={*STUDY_TABLES, *COHORT_TABLES})


def gene_list_tables(
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Any],
    designs: Mapping[str, Design] | None = None,
    threads: int = 1,
) -> dict[str, pd.DataFrame]:
    """Make every table of `xnbflow.tables.contract.GENE_LIST_TABLES`.

    ``owners`` are what the files belong to, in their order: ``datasets`` and ``models``, a data set
    and classifier each. Of the ``files``, paths by the name of the table, ``gene_sets`` may be
    absent or empty, and ``series`` is read only with gene sets. ``designs`` are those of data sets
    by name. Sets are tested by ``threads``.
    """
    sets = read_gene_sets(*files.get("gene_sets", ()))
    models = [tuple(key) for key in owners["models"]]
    signatures = read_tables(models, files["signature"], MODEL_TABLES["signature"])
    columns = None if sets else _NAMES_OF_GENES  # large tables
    genes = read_tables(owners["datasets"], files["genes"], GENE_TABLES["genes"], columns)
    tables = {"artefacts": artefacts(genes, signatures)}
    if not sets:
        for name, schema in GENE_LIST_TABLES.items():
            tables.setdefault(name, pd.DataFrame(columns=schema.fixed))
        return tables
    paths = zip(owners["datasets"], files["series"], strict=True)
    series = {name: DataSet.read(path) for name, path in paths}
    return {
        **tables,
        "gene_set_tests": gene_set_tests.gene_set_tests(series, sets, designs),
        "contrast_set_tests": gene_set_tests.contrast_set_tests(series, sets, designs),
        "enrichment": enrichment(genes, signatures, sets),
        "prerank": prerank.prerank(genes, sets, threads),
    }
