"""What class-specific naive Bayes reaches on real data, in pooled folds, beside its peers."""

import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from xnbflow.naive_bayes import ClassSpecificNBCV
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.table import read_table

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

THRESHOLDS = [0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0]
#: Nearest shrunken centroids of scikit-learn, the threshold chosen by an inner cross-validation.
SHRUNKEN = GridSearchCV(NearestCentroid(priors="empirical"), {"shrink_threshold": THRESHOLDS}, cv=5)


def accuracy(model, X, y, n_folds):
    """Return the accuracy of a classifier, pooled over the same folds for every classifier."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    return (cross_val_predict(model, X, y, cv=folds) == y).mean()


@pytest.fixture(scope="module")
def cells(shared_data):
    """Return log counts and types of 700 blood cells."""
    pytest.importorskip("h5py", reason="needs the extra h5ad")
    row = DatasetEntry("cells", "table", "x.h5ad", label="obs:bulk_labels", matrix="raw")
    series = read_table(shared_data / "singlecell" / "pbmc68k_reduced.h5ad", row)
    return series.values.T, series.labels


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
def test_ten_types_of_cells_are_predicted_better_than_by_peers(cells):
    ours = accuracy(ClassSpecificNBCV(), *cells, 10)
    shrunken = accuracy(make_pipeline(StandardScaler(), SHRUNKEN), *cells, 10)
    linear = accuracy(make_pipeline(StandardScaler(), LinearSVC(max_iter=100_000)), *cells, 10)
    assert ours > shrunken
    assert ours > linear


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has:UserWarning")
def test_digits_are_predicted_better_than_by_shrunken_centroids():
    X, y = load_digits(return_X_y=True)
    ours = accuracy(ClassSpecificNBCV(), X, y, 5)
    assert ours > accuracy(make_pipeline(StandardScaler(), SHRUNKEN), X, y, 5)
