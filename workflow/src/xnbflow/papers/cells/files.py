"""Single cells: AnnData files by chunks of genes, and markers as scanpy shows them."""

from xnbflow.data.samples import Cells
from xnbflow.papers.cells.cell_file import CellFile
from xnbflow.papers.cells.ranked_genes import rank_genes_groups, write_rank_genes_groups

__all__ = [
    "CellFile",
    "Cells",
    "rank_genes_groups",
    "write_rank_genes_groups",
]
