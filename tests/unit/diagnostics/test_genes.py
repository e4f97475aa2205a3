"""Genes: each class against the rest, areas of single features and how many do as well."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from published_xnb import bandwidth, log_density
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score
from toys import dataset, refused

from xnbflow.core.study import Design
from xnbflow.diagnostics import gene_table
from xnbflow.diagnostics.areas import doubled_wins, sample_order
from xnbflow.diagnostics.gene_values import gene_values
from xnbflow.diagnostics.heatmap import heatmap
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.report.sections.signature import gene_page
from xnbflow.tables.contract import GROUPS


@pytest.fixture(scope="module")
def measured():
    """Values with ties and gaps, one feature constant, one without a value in a class."""
    rng = np.random.default_rng(27)
    y = rng.permutation(np.repeat(["AML", "B-ALL", "control"], [7, 12, 20]))
    X = rng.normal(8, 2, (39, 60)).round(1) + 3 * (y == "AML")[:, None] * (np.arange(60) < 9)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 5] = 4.2
    X[y == "AML", 6] = np.nan
    return X, y


def distance(column, y, label):
    """Hellinger's, of the published densities; the rest is all other classes, by their sizes."""
    y = y[~np.isnan(column)]
    column = column[~np.isnan(column)]
    points = np.linspace(column.min(), column.max(), 50)
    n_outside = (y != label).sum()
    rest = np.zeros(50)
    for other_label in np.unique(y):
        values = column[y == other_label]
        density = np.exp(log_density(points, values, bandwidth(values)))
        density /= density.sum()
        if other_label == label:
            inside = density
        else:
            rest += density * len(values) / n_outside
    return np.sqrt(1 - np.sqrt(inside * rest).sum())


def test_each_class_against_the_others_is_as_the_model_and_scikit_learn_have_it(measured):
    X, y = measured
    features = np.array([f"g{i:02}" for i in range(60)])
    symbols = pd.DataFrame({"symbol": np.char.upper(features)})
    more = {"feature_metadata": symbols, "missing": True, "scale": "ln"}
    series = dataset(X.T, y, features=features, **more)
    genes = gene_table(series)
    assert list(genes.columns) == GROUPS["genes"].tables["genes"].fixed
    varies = np.arange(60) != 5
    model = moderated_contrasts(X.T[varies], np.unique(y, return_inverse=True)[1])
    for code, (label, unordered) in enumerate(genes.groupby("class")):
        rows = unordered.set_index("feature").loc[features]
        for feature, column in zip(features, X.T, strict=True):
            row = rows.loc[feature]
            inside = column[(y == label) & ~np.isnan(column)]
            if feature in ("g05", "g06") and (feature == "g05" or label == "AML"):
                # constant, or without a value in the class
                assert row[["t", "p", "fdr", "difference", "distance"]].isna().all()
                assert row["auc"] == 0.5 or len(inside) == 0
                continue
            assert row["symbol"] == feature.upper()
            np.testing.assert_allclose(row["distance"], distance(column, y, label), rtol=1e-9)
            tested = ~np.isnan(column)
            area = roc_auc_score(y[tested] == label, column[tested])
            np.testing.assert_allclose(row["auc"], area, rtol=1e-12)
            means_of_others = []
            for other_label in set(y) - {label}:
                values = column[(y == other_label) & ~np.isnan(column)]
                if len(values):
                    means_of_others.append(values.mean())
            change = inside.mean() - np.mean(means_of_others)
            if feature != "g06":  # of the others AML has no value
                np.testing.assert_allclose(row["difference"], change, rtol=1e-9, atol=1e-12)
        for name in ("t", "p", "fdr", "df"):
            np.testing.assert_allclose(rows.loc[varies, name], getattr(model, name)[code])
        for name in ("log_fold_change", "lower", "upper"):  # from natural logarithms
            expected = np.log2(np.exp(getattr(model, name)[code]))
            np.testing.assert_allclose(rows.loc[varies, name], expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(rows.loc[varies, "mean"], np.nanmean(X[:, varies], axis=0))
        assert unordered["least_t"].abs().dropna().is_monotonic_decreasing


def test_ranks_put_the_strongest_evidence_of_both_directions_first_and_count_equal_areas():
    y = np.array(list("aaabbb"))
    values = [
        [1, 2, 3, 7, 8, 9],
        [7, 8, 9, 1, 2, 3],
        [27, 28, 29, 1, 2, 3],
        [1, 9, 2, 8, 3, 7],
        [5, 5, 5, 1, 1, 1],  # its own variance is 0
        [0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
    ]
    series = dataset(values, y, features=list("uvwxyz"))
    genes = gene_table(series)
    first = genes[genes["class"] == "a"]
    assert first["feature"].tolist() == list("ywuvxz")  # u and v are as strong
    assert first["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    assert first["ties"].tolist() == [2, 2, 0, 2, 0, 0]
    assert first["p"].isna().tolist() == [False] * 5 + [True]  # z does not vary
    assert genes["log_fold_change"].isna().all()  # the scale is not known
    assert first["difference"].tolist()[:4] == pytest.approx([4, 26, -6, 6])


def test_samples_of_a_patient_count_once(rng):
    patients = np.repeat([f"p{i}" for i in range(12)], 5)
    y = np.repeat(["healthy", "ill"], 30)
    values = np.repeat(rng.normal(size=(20, 12)), 5, axis=1) + rng.normal(size=(20, 60)) / 9
    order = rng.permutation(60)
    series = dataset(1e-100 * values[:, order], y[order], groups=patients[order])  # of any unit
    genes = gene_table(series)
    means = values.reshape(20, 12, 5).mean(axis=2)
    expected = moderated_contrasts(means, np.repeat([0, 1], 6)).p[1]
    actual = genes[genes["class"] == "ill"].set_index("feature").loc[series.features]
    np.testing.assert_allclose(actual["p"], expected, rtol=1e-9)
    areas = [roc_auc_score(y == "ill", row) for row in values]
    np.testing.assert_allclose(actual["auc"], areas, rtol=1e-12)


def test_patients_with_both_classes_are_compared_with_themselves_and_few_samples_not_at_all(rng):
    patients, y = np.tile(np.arange(8), 2), np.repeat(["normal", "tumour"], 8)
    values = np.tile(rng.normal(0, 9, (40, 8)), 2) + rng.normal(size=(40, 16))
    paired = gene_table(dataset(values, y, groups=patients.astype(str)))
    expected = moderated_contrasts(values, np.repeat([0, 1], 8), patients).p[1]
    actual = paired[paired["class"] == "tumour"].set_index("feature")
    np.testing.assert_allclose(actual.loc[[f"g{i}" for i in range(40)], "p"], expected)
    single = gene_table(dataset(values, y, groups=y))  # a patient of each class
    assert single[["difference", "t", "p", "fdr"]].isna().all(axis=None)
    assert single["auc"].notna().all()


def test_columns_are_adjusted_for_as_numbers_or_categories(rng):
    y, plate = np.repeat(["a", "b"], 12), np.tile(["1", "2", "3"], 8)
    age = rng.normal(60, 9, 24) + 8 * (y == "b")
    values = rng.normal(size=(50, 24)) + 0.3 * age + np.where(plate == "2", 5, 0)
    phenotype = pd.DataFrame({"age": [repr(float(years)) for years in age], "plate": plate})
    parts = {"sample_metadata": phenotype, "scale": "log2"}
    codes = np.unique(y, return_inverse=True)[1]
    for terms, columns in (
        (("age", "factor(plate)"), {"age": age, "plate": plate.astype(object)}),
        (("plate",), {"plate": plate.astype(float)}),
    ):
        series = dataset(values, y, **parts)
        genes = gene_table(series, Design(adjust=terms, trend=True))
        rows = genes[genes["class"] == "b"].set_index("feature").loc[series.features]
        expected = moderated_contrasts(values, codes, None, columns, trend=True)
        np.testing.assert_allclose(rows["p"], expected.p[1])
        np.testing.assert_allclose(rows["log_fold_change"], expected.log_fold_change[1])
    with refused(key="adjust"):
        gene_table(dataset(values, y, **parts), Design(adjust=("sex",)))
    with refused(key="adjust", match="'arm' cannot be separated from the class"):
        by_arm = dataset(values, y, sample_metadata=phenotype.assign(arm=y))
        gene_table(by_arm, Design(adjust=("arm",)))


def test_a_heat_map_leaves_missing_values_empty_and_standardises_what_is_there(rng):
    values = rng.normal(8, 1, (6, 12))
    values[0, 2], values[1], values[2, :6] = np.nan, np.nan, np.nan
    series = dataset(values, ["a"] * 6 + ["b"] * 6, missing=True)
    drawn = heatmap(gene_table(series), series)
    actual = drawn.pivot(index="feature", columns="column", values="z").loc[series.features]
    frame = pd.DataFrame(values.T)
    wanted = ((frame - frame.mean()) / frame.std(ddof=0)).T
    np.testing.assert_allclose(actual.to_numpy(), wanted.to_numpy(), atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_areas_are_those_of_mann_and_whitney(rng, ties):
    codes = np.arange(41) % 3
    values = rng.normal(size=(400, 41)) + rng.uniform(0, 3, size=(400, 1)) * (codes == 1)
    values = np.round(values) if ties else values
    order = sample_order(values)
    for labelling in (codes, rng.permutation(codes), np.minimum(codes, 1)):
        sizes = np.bincount(labelling, minlength=3)  # the last labelling has no third class
        wins = doubled_wins(order, labelling, 3)
        for i, j in np.argwhere(np.outer(sizes, sizes)):
            first = values[:, labelling == i]
            second = values[:, labelling == j]
            expected = mannwhitneyu(first, second, axis=1).statistic
            assert wins[:, i, j].tolist() == (2 * expected).tolist()


def test_values_have_the_batch_of_each_sample_and_the_share_of_each_class(rng):
    values = rng.normal(8, 2, (3, 50))
    labels = np.repeat(["a", "b"], 25)
    series = dataset(values, labels)
    with_batches = gene_values(
        replace(series, sample_metadata=pd.DataFrame({"plate": labels, "age": "9"})), ["g0"], 10
    )
    assert with_batches["batch"].tolist() == with_batches["class"].tolist() == [*"aaaaabbbbb"]


def test_a_symbol_leads_to_its_gene_and_a_probe_never_does():
    for symbol in ("TP53", "C1orf112", "HLA-DRA", "LOC100130417"):
        assert gene_page("", symbol).endswith(f"={symbol}")
    probes = "1007_s_at AFFX-BIOB X95735 AA123456 ILMN_1343291 A_23_P1 TC0100006437 g1 V12 PROBE7"
    assert not any(gene_page("", probe) for probe in probes.split())
    assert gene_page("TP53///WRAP53", "1007_s_at").endswith("=TP53")


def test_genes_of_a_class_differ_from_each_other_class(rng):
    """Both cancers differ from healthy tissue in many genes; few are of the early stage."""
    labels = np.repeat(["early", "healthy", "late"], 12)
    values = rng.normal(8, 1, (300, 36))
    values[:100, labels != "healthy"] += 4
    values[100:110, labels == "early"] += 2.5
    values[110:120, labels == "healthy"] -= 2
    values[110:120, labels == "late"] += 2  # early lies between the others
    genes = gene_table(dataset(values, labels, scale="log2"))
    of_class = genes[genes["class"] == "early"].set_index("feature")
    own = [f"g{i}" for i in range(100, 110)]
    assert set(of_class.index[:10]) == set(own)
    by_mean = of_class.sort_values("t", key=lambda t: -t.abs())
    assert len(set(by_mean.index[:10]) & set(own)) < 5  # by the mean of the others
    between = of_class.loc[[f"g{i}" for i in range(110, 120)]]
    assert (between[["least_t", "least_difference"]] == 0).all(axis=None)
    shared = of_class.loc[[f"g{i}" for i in range(100)]]
    assert (shared["nearest"] == "late").mean() > 0.9
    # one gene, whose variance no others moderate: t of two classes with the variance of all three
    alone = gene_table(dataset(values[100:101], labels, scale="log2"))
    row = alone[alone["class"] == "early"].iloc[0]
    groups = [values[100, labels == label] for label in np.unique(labels)]
    pooled = np.mean([group.var(ddof=1) for group in groups])
    differences = groups[0].mean() - np.array([groups[1].mean(), groups[2].mean()])
    t = differences / np.sqrt(pooled * 2 / 12)
    assert row["least_t"] == pytest.approx(np.abs(t).min())
    assert row["least_difference"] == pytest.approx(differences[np.abs(t).argmin()])
    assert row["nearest"] == ("healthy", "late")[np.abs(t).argmin()]


def test_two_classes_have_the_difference_from_the_other_one(rng):
    genes = gene_table(dataset(rng.normal(size=(20, 12)), np.repeat(["a", "b"], 6)))
    np.testing.assert_allclose(genes["least_t"], genes["t"])
    np.testing.assert_allclose(genes["least_difference"], genes["difference"])
    assert (genes["nearest"] != genes["class"]).all()
