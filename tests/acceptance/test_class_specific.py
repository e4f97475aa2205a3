"""What class-specific naive Bayes reaches on real data, in pooled folds, beside its peers."""

import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from xnbflow.naive_bayes import ClassSpecificNBCV

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

THRESHOLDS = [0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0]
#: Nearest shrunken centroids of scikit-learn, the threshold chosen by an inner cross-validation.
SHRUNKEN = GridSearchCV(NearestCentroid(priors="empirical"), {"shrink_threshold": THRESHOLDS}, cv=5)


def accuracy(model, X, y, n_folds):
    """Return the accuracy of a classifier, pooled over the same folds for every classifier."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    return (cross_val_predict(model, X, y, cv=folds) == y).mean()


@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has:UserWarning")
def test_digits_are_predicted_better_than_by_shrunken_centroids():
    X, y = load_digits(return_X_y=True)
    ours = accuracy(ClassSpecificNBCV(), X, y, 5)
    assert ours > accuracy(make_pipeline(StandardScaler(), SHRUNKEN), X, y, 5)
