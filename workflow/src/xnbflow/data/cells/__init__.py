"""Single cells: AnnData files by chunks of genes, and markers as scanpy shows them."""

from xnbflow.data.lazy import lazy_names

_HOME = {
    "CellFile": "cell_file",
    "rank_genes_groups": "ranked_genes",
    "write_rank_genes_groups": "ranked_genes",
}

__all__ = ["CellFile", "rank_genes_groups", "write_rank_genes_groups"]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
