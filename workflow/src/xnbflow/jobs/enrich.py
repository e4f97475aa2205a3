"""A job of *enrich*: gene sets in the lists of genes and the signatures of a study."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xnbflow.studies.gene_lists import gene_list_tables
from xnbflow.studies.gene_set_files import GeneSetFile, fetch_gene_sets
from xnbflow.studies.study_inputs import StudyInputs
from xnbflow.tables.contract import GENE_LIST_TABLES, GROUPS
from xnbflow.tables.storage import write_tables


def find_gene_sets(
    inputs: StudyInputs,
    *,
    gene_set_files: Mapping[str, Path],
    gene_set_urls: Sequence[str],
    downloads: Mapping[str, Any],
    threads: int,
) -> None:
    """Make and write the tables on gene sets of a study.

    ``gene_set_files`` are those of the user and of the project by the places that the
    configuration names, ``gene_set_urls`` public ones, which are downloaded by the settings
    ``downloads`` of the configuration. See `xnbflow.studies.gene_lists.gene_list_tables`.
    """
    files = [GeneSetFile(path, place) for place, path in gene_set_files.items()]
    files += fetch_gene_sets(gene_set_urls, downloads)
    tables = gene_list_tables(inputs, files, threads)
    study = inputs.study.id
    folder = inputs.root / GROUPS["gene_lists"].path.parent.of(study=study)
    write_tables(tables, folder, GENE_LIST_TABLES)
