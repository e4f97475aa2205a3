"""The tables that the paper prints."""

from pathlib import Path

import pandas as pd


def printed_table(number: int) -> pd.DataFrame:
    """Return a table of the paper, from 1 to 6, as in the folder ``printed``."""
    path = Path(__file__).with_name("printed") / f"table{number}.tsv"
    return pd.read_csv(path, sep="\t", comment="#")
