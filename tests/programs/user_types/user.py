"""Code of a user that a type checker accepts."""

from typing import assert_type

import numpy as np

from xnbflow import Imputer
from xnbflow.data.dataset import DataSet
from xnbflow.density.families import Distribution, Gaussian
from xnbflow.models import TrainedModel, read_model
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV, GaussianNB

X = np.zeros((4, 2))
y = np.array(["a", "a", "b", "b"])
assert_type(XNB(bandwidth="silverman", n_grid=50).predict(X), np.ndarray)
assert_type(Imputer().fit(X), Imputer)
assert_type(read_model("model.skops"), TrainedModel)
assert_type(
    DataSet("toy", np.eye(2), features=["g1", "g2"], samples=["s1", "s2"], labels=y[1:3]).labels,
    np.ndarray,
)
family: Distribution = Gaussian()


class Frame:
    """A table with a length, as polars.DataFrame and anndata.AnnData have."""

    def __len__(self) -> int:
        return 1


GaussianNB().fit([[0.0]], [0]).predict([[0.0]])
GaussianNB().fit(np.zeros((2, 1)), ["a", "b"])
ClassSpecificNB().fit(np.zeros((2, 1)), np.zeros(2)).predict(Frame())
ClassSpecificNBCV().fit(Frame(), "cell_type").predict_proba(np.zeros((2, 1)))
