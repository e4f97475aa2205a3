# The package's names for type checkers: at run time each is imported when it is asked for.
from xnbflow.data.cells.cell_file import CellFile as CellFile
from xnbflow.data.cells.ranked_genes import rank_genes_groups as rank_genes_groups
from xnbflow.data.cells.ranked_genes import write_rank_genes_groups as write_rank_genes_groups
