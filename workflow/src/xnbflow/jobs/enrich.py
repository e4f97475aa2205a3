"""A job of *enrich*: gene sets in the lists of genes and the signatures of a study."""

from collections.abc import Callable, Sequence
from pathlib import Path

from xnbflow.studies.gene_lists import gene_list_tables
from xnbflow.studies.study_inputs import StudyInputs
from xnbflow.tables.contract import GENE_LIST_TABLES, GROUPS, STUDY
from xnbflow.tables.earlier import remove_earlier_tables
from xnbflow.tables.storage import write_tables


def find_gene_sets(
    inputs: StudyInputs,
    *,
    gene_set_files: Sequence[str | Path],
    threads: int,
    check_code: Callable[[], None],
) -> None:
    """Make and write the tables on gene sets of a study.

    See `xnbflow.studies.gene_lists.gene_list_tables`; ``check_code`` is called before files are
    written.
    """
    tables = gene_list_tables(inputs, gene_set_files, threads)
    check_code()
    study = inputs.study.id
    folder = inputs.root / GROUPS["gene_lists"].path.parent.of(study=study)
    write_tables(tables, folder, GENE_LIST_TABLES)
    remove_earlier_tables("enrich", inputs.root / STUDY.of(study=study))
