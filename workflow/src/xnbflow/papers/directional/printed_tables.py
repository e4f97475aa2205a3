"""The tables that the paper prints, and the numbers in the text on its figures."""

from pathlib import Path

import pandas as pd

_FOLDER = Path(__file__).with_name("printed")


def printed_table(number: int) -> pd.DataFrame:
    """Return a table of the paper, from 1 to 6, as in the folder ``printed``."""
    return pd.read_csv(_FOLDER / f"table{number}.tsv", sep="\t", comment="#")


def printed_boundaries() -> pd.DataFrame:
    """Return the printed numbers on the boundaries of Figures 3 to 9, with their decimals."""
    return pd.read_csv(_FOLDER / "figures.tsv", sep="\t", comment="#")
