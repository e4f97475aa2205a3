"""The accuracies of Directional naive Bayes classifiers, Table 1, on the data at hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from xnbflow.naive_bayes import SelectiveNB, VonMisesNB

TEN_RUNS = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
ONE_RUN = RepeatedStratifiedKFold(n_splits=10, n_repeats=1, random_state=0)


def accuracy(classifier, data, cv=TEN_RUNS):
    """Mean accuracy in percent, as the paper prints it."""
    X, y = data
    return 100 * cross_val_score(classifier, X, y, cv=cv).mean()


@pytest.fixture(scope="module")
def magic(shared_data):
    """Nine linear columns and the angle fAlpha, column 8, in degrees."""
    table = pd.read_csv(shared_data / "uci" / "magic04.data.gz", header=None)
    return np.asfortranarray(table.iloc[:, :10].to_numpy(float)), table[10].to_numpy(str)


@pytest.fixture(scope="module")
def covertype(shared_data):
    """Aspect and slope, columns 1 and 2, are angles; columns 10 to 53 are binary."""
    table = pd.read_csv(shared_data / "uci" / "covtype_sample100000.data.gz", header=None)
    return np.asfortranarray(table.iloc[:, :54].to_numpy(float)), table[54].to_numpy()


@pytest.fixture(scope="module")
def arrhythmia(shared_data):
    """Normal or not, of the 430 rows with a P angle; without the J angle, mostly missing.

    Other missing values are the column's median; columns of two to four values are categories.
    """
    table = pd.read_csv(shared_data / "uci" / "arrhythmia.data.gz", header=None, na_values="?")
    table = table[table[11].notna()].drop(columns=13)
    y = (table.pop(279) == 1).to_numpy()
    table = table.fillna(table.median())
    table = table.loc[:, table.nunique() > 1]
    categorical = table.columns[table.nunique() <= 4]
    table[categorical] = table[categorical].rank(method="dense") - 1
    table.columns = [str(column) for column in table.columns]
    return table, y, [str(column) for column in categorical]


@pytest.mark.parametrize(("angular", "paper"), [([], 72.68), ([8], 72.75)])
def test_magic(magic, angular, paper):
    classifier = VonMisesNB(angular=angular, period=360)
    assert accuracy(classifier, magic) == pytest.approx(paper, abs=0.1)


@pytest.mark.parametrize(("angular", "paper"), [([], 74.92), ([8], 75.26)])
def test_magic_selective(magic, angular, paper):
    classifier = SelectiveNB(VonMisesNB(angular=angular, period=360))
    assert accuracy(classifier, magic) == pytest.approx(paper, abs=0.3)
    # Table 2: three features, one of them the angle
    selected = classifier.fit(*magic).selected_features_["g"]
    assert len(selected) == 3
    assert 8 in selected


@pytest.mark.parametrize(("angular", "paper"), [([], 65.56), ([1, 2], 65.43)])
def test_covertype(covertype, angular, paper):
    # another random sample than the paper's
    classifier = VonMisesNB(angular=angular, categorical=list(range(10, 54)), period=360)
    assert accuracy(classifier, covertype, ONE_RUN) == pytest.approx(paper, abs=0.5)


@pytest.mark.parametrize(("angular", "paper"), [([], 76.47), (["9", "10", "11", "12"], 76.52)])
def test_arrhythmia(arrhythmia, angular, paper):
    X, y, categorical = arrhythmia
    classifier = VonMisesNB(angular=angular, categorical=categorical, period=360)
    assert accuracy(classifier, (X, y)) == pytest.approx(paper, abs=1.5)
