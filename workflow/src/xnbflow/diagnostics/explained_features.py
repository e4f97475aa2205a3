"""Features whose difference between the classes a column of the samples explains.

A batch that goes with the class makes features differ that have nothing to do with it. With the
column in the model these differ no longer, and a reader of a list of features should see which.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.significance import FDR_LEVEL
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.adjustment import adjusted_columns
from xnbflow.diagnostics.column_associations import associated_columns
from xnbflow.diagnostics.genes import class_comparisons


def explained_features(series: DataSet, design: Design, genes: pd.DataFrame) -> np.ndarray:
    """Return the column that explains the difference of each feature, "" where none does.

    Each column that goes with the class (`associated_columns`) is added to the design, unless it is
    in it, or is biology. The column with which the fewest features differ is reported, for the
    features that differ without it and not with it.

    Parameters
    ----------
    series : DataSet
    design : Design
    genes : DataFrame
        The table ``genes`` of this design: columns class, feature and fdr.

    Returns
    -------
    ndarray of str, shape (n_rows,)

    Examples
    --------
    A class of which nine of ten samples have one plate; the feature differs between the plates:

    >>> rng = np.random.default_rng(0)
    >>> labels, plates = np.repeat(list("ab"), 10), np.array(list("p" * 9 + "q" + "p" + "q" * 9))
    >>> values = rng.normal(size=(20, 20))
    >>> values[0] += 4 * (plates == "q")
    >>> phenotype = pd.DataFrame({"plate": plates})
    >>> series = DataSet("toy", values, np.arange(20).astype(str), np.arange(20).astype(str),
    ...                  labels, sample_metadata=phenotype)
    >>> from xnbflow.diagnostics.genes import gene_table
    >>> genes = gene_table(series)
    >>> genes[explained_features(series, Design(), genes) == "plate"]["feature"].unique().tolist()
    ['0']
    """
    explained = np.full(len(genes), "", dtype=object)
    differs = (genes["fdr"] < FDR_LEVEL).to_numpy()
    if not differs.any():
        return explained
    linear = series.kinds == "linear"
    values = series.values if linear.all() else series.values[linear]
    positions = pd.Index(series.features[linear].astype(str)).get_indexer(
        genes["feature"].astype(str)
    )
    codes = pd.Index(series.classes.astype(str)).get_indexer(genes["class"])
    in_design = set(adjusted_columns(series, design))
    fewest = int(differs.sum())
    for name, term in associated_columns(series).items():
        if name in in_design or name.lower() in map(str.lower, design.biology):
            continue
        try:
            results = class_comparisons(
                values, series, replace(design, adjust=(*design.adjust, term))
            )
        except InputError:  # the column cannot be separated from the class
            continue
        fdr = results["fdr"][codes, positions]
        remain = differs & (fdr < FDR_LEVEL)
        if not np.isnan(fdr).all() and remain.sum() < fewest:
            fewest = int(remain.sum())
            explained = np.where(differs & ~remain, name, "").astype(object)
    return explained
