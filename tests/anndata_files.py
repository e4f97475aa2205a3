"""AnnData files of ninety samples, as anndata writes them.

The samples are of three types (B, NK, T) and two donors, with 12 genes; every third gene is high in
one type. `write_samples` has ``X`` as rows of a sparse matrix, and the layers ``columns`` and
``whole`` with the same values in the other forms.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

anndata = pytest.importorskip("anndata", reason="needs the extra h5ad")

N = 90
GENES = 12


def values():
    """Return logarithms of counts (N, GENES), and the type of each sample."""
    rng = np.random.default_rng(3)
    types = np.arange(N) % 3
    high = np.arange(GENES) % 3 == types[:, None]
    return np.log1p(rng.poisson(0.2 + 2.0 * high)), np.array(["B", "NK", "T"], object)[types]


X, TYPES = values()


def annotated():
    """Return the samples in memory, with each way to store a matrix."""
    donors = np.array(["p", "q"], object)[np.arange(N) % 2]
    obs = pd.DataFrame({"type": TYPES, "donor": donors}, index=[f"c{i}" for i in range(N)])
    symbols = [f"G{i}" for i in range(GENES)]
    var = pd.DataFrame({"symbol": symbols}, index=[f"g{i}" for i in range(GENES)])
    layers = {"columns": sparse.csc_array(X), "whole": X.copy()}
    return anndata.AnnData(sparse.csr_array(X), obs.astype("category"), var, layers=layers)


def write_samples(path, **columns):
    """Write them, with further columns of ``obs``; return the path."""
    data = annotated()
    for name, cells in columns.items():
        data.obs[name] = cells
    data.write_h5ad(path)
    return path
