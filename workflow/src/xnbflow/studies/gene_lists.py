"""Gene sets in the lists of genes of a study: those of its files, and those of known artefacts.

These tables need the signatures of the models, which are fitted while the other tables of the study
are made.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from xnbflow.core.deferred import DeferredModule
from xnbflow.data.dataset import DataSet
from xnbflow.studies.artefacts import artefacts
from xnbflow.studies.enrichment import enrichment, read_gene_sets
from xnbflow.studies.gene_set_files import GeneSetFile, gene_set_file_table
from xnbflow.studies.study_inputs import StudyInputs
from xnbflow.tables.contract import GENE_LIST_TABLES, GENE_TABLES, GENES

if TYPE_CHECKING:
    from xnbflow.studies import gene_set_tests, prerank
else:  # linear models and their kernels: only studies with gene sets use them
    gene_set_tests = DeferredModule("xnbflow.studies.gene_set_tests")
    prerank = DeferredModule("xnbflow.studies.prerank")

#: Columns of the table of genes that `artefacts` reads.
_NAMES_OF_GENES = ("class", "feature", "symbol", "rank")


def gene_list_tables(
    inputs: StudyInputs, gene_set_files: Sequence[GeneSetFile] = (), threads: int = 1
) -> dict[str, pd.DataFrame]:
    """Make every table of `xnbflow.tables.contract.GENE_LIST_TABLES`.

    Without ``gene_set_files`` (GMT) only known artefacts are looked for, and no series is read.
    The sets are tested by ``threads``, in the comparisons of the study's designs.
    """
    sets = read_gene_sets(*(file.path for file in gene_set_files))
    signatures = inputs.signatures()
    columns = None if sets else _NAMES_OF_GENES  # large tables
    place = GENES.fill(study=inputs.study.id, table="genes")
    genes = inputs.dataset_tables(place, GENE_TABLES["genes"], columns)
    tables = {"artefacts": artefacts(genes, signatures)}
    if not sets:
        for name, schema in GENE_LIST_TABLES.items():
            tables.setdefault(name, pd.DataFrame(columns=schema.fixed))
        return tables
    series = {name: DataSet.read(path) for name, path in inputs.series_paths.items()}
    designs = {name: inputs.study.design_of(name) for name in series}
    return {
        **tables,
        "gene_set_files": gene_set_file_table(gene_set_files),
        "gene_set_tests": gene_set_tests.gene_set_tests(series, sets, designs),
        "contrast_set_tests": gene_set_tests.contrast_set_tests(series, sets, designs),
        "enrichment": enrichment(genes, signatures, sets),
        "prerank": prerank.prerank(genes, sets, threads),
    }
