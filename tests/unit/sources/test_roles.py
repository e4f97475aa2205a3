"""The role of a variable that a phenotype file has as well, by its cells in the table."""

import pandas as pd
import pytest

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.roles import Role, assign_roles


@pytest.mark.parametrize(
    ("cells", "phenotype_cells", "role"),
    [
        (["7.1", "NA"], ["1", "0"], Role.NUMBER),  # the gene of the label's name
        (["1.0", "0"], ["1", "0"], Role.TEXT),  # the label itself, written as numbers
        (["1", "NA"], ["1", "0"], Role.TEXT),
        (["high", "low"], ["1", "0"], Role.TEXT),
        (["NA", "NA"], ["1", "0"], Role.NUMBER),  # nothing of it is the label
    ],
)
def test_a_variable_with_other_numbers_than_the_phenotype_is_a_feature(
    cells, phenotype_cells, role
):
    lines = range(2, 2 + len(cells))
    raw = TextTable(path="x.csv", header=["ESR1"], rows=[[cell] for cell in cells], lines=lines)
    table = raw.with_samples_in_rows(None)
    row = DatasetEntry("x", "table", label="ESR1")
    phenotype = pd.DataFrame({"ESR1": phenotype_cells})
    assert assign_roles(table, row, phenotype) == [role]
