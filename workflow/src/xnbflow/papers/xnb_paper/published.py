"""The numbers that the XNB paper and its authors' script print.

Tables 1 and 2 with their means, and Figure 1, are those of the paper. ``script.tsv`` and
``script_folds.tsv`` are outputs of the script in the repository that the paper names, of mid-2024.
"""

from pathlib import Path

import pandas as pd

#: The printed quantities that we compute as well, and their printed decimals.
DECIMALS = {
    "non_normal_ratio": 2,
    "dependent_ratio": 2,
    "nb_accuracy": 3,
    "xnb_accuracy": 3,
    "xnb_features_per_class": 1,
}

#: The rows "Mean" of Tables 1 and 2, and the reduction of the number of features (section 6).
MEANS = {
    "non_normal_ratio": 0.57,
    "dependent_ratio": 0.58,
    "nb_accuracy": 0.799,
    "xnb_accuracy": 0.803,
    "xnb_features_per_class": 8.3,
    "reduction": 0.9998,
}

#: The seed of the folds of Table 2 and of the authors' script (scikit-learn's ``random_state``).
SEED = 0
#: The fold of Figure 1, from 1: the only one in which naive Bayes has .846 and XNB 1.000.
FIGURE_FOLD = 9

#: The series of Figure 1, and the number of features of each class, as CuMiDa names the classes.
FIGURE_SERIES = "GSE50161"
FIGURE_FEATURES = {
    "glioblastoma": 14,
    "ependymoma": 10,
    "pilocytic_astrocytoma": 9,
    "medulloblastoma": 7,
    "normal": 4,
}
#: The other numbers of Figure 1: one fold of stratified ten-fold cross-validation.
FIGURE_UNION = 21
FIGURE_MEAN = 8.8
FIGURE_NB_ACCURACY = 0.846
FIGURE_XNB_ACCURACY = 1.0
#: The seven probes of medulloblastoma that the text below Figure 1 lists.
MEDULLOBLASTOMA_PROBES = (
    "1562309_s_at",
    "228915_at",
    "212056_at",
    "1558189_a_at",
    "219438_at",
    "228260_at",
    "201292_at",
)


def published_table(number: int) -> pd.DataFrame:
    """Return Table 1 or 2, a row per series."""
    path = Path(__file__).with_name(f"table{number}.tsv")
    return pd.read_csv(path, sep="\t")


def printed_numbers() -> pd.DataFrame:
    """Return the numbers of both tables that we compute as well, a row each.

    Examples
    --------
    >>> printed_numbers().iloc[0].to_dict()["value"]
    0.61
    """
    tables = [published_table(1), published_table(2)]
    numbers = [table.melt(["type", "accession"], var_name="quantity") for table in tables]
    return pd.concat(numbers, ignore_index=True).query("quantity in @DECIMALS")


def printed_script() -> pd.DataFrame:
    """Return the numbers of the authors' script: of a series, or of one of its folds.

    Columns are ``accession``, ``dataset`` (the same), ``splits``, ``fold`` (from 1; 0 for the mean
    over folds), ``quantity`` and ``paper``, the printed number.
    """
    folder = Path(__file__).parent
    means = pd.read_csv(folder / "script.tsv", sep="\t").rename(columns={"value": "paper"})
    folds = pd.read_csv(folder / "script_folds.tsv", sep="\t")
    folds = folds.rename(columns={"nb_accuracy": "paper"}).assign(quantity="nb_accuracy")
    numbers = pd.concat([means.assign(fold=0), folds], ignore_index=True)
    return numbers.assign(dataset=numbers["accession"])


def features_of_series() -> pd.Series:
    """Return the number of features of each series (Table 1), by its accession."""
    return published_table(1).set_index("accession")["features"]
