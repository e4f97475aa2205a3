"""Steps that read columns of the samples: adjusted in the fold, centred within patients."""

import numpy as np
import pandas as pd
import pytest
from toys import dataset, put, refused

from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.methods import resolved
from xnbflow.models import cross_validate, fit_model
from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.prediction import predict_table
from xnbflow.models.reading import read_samples
from xnbflow.preprocessing import CovariateAdjuster, GroupCentrer
from xnbflow.sources.dataset_entry import DatasetEntry

ADJUST = {"method": "adjust_covariates", "params": {"columns": ["age", "factor(plate)"]}}
CENTRE = {"method": "centre_groups", "params": {"column": "patient"}}


@pytest.fixture
def frame(rng):
    """Twelve patients with a sample of either class, on three plates."""
    n = 24
    columns = {
        "patient": np.repeat([f"p{i}" for i in range(12)], 2),
        "plate": np.arange(n) // 2 % 3,
    }
    columns["age"] = rng.normal(60, 9, n)
    genes = pd.DataFrame(rng.normal(8, 1, (n, 30)), columns=[f"g{i}" for i in range(30)])
    return genes.assign(**columns).set_index(np.array([f"s{i}" for i in range(n)])), np.tile(
        [0, 1], 12
    )


def test_covariates_are_those_of_a_least_squares_fit_with_the_class(frame):
    X, y = frame[0].drop(columns="patient"), frame[1]
    train, test = X.iloc[:18], X.iloc[18:]
    step = CovariateAdjuster(columns=["age", "factor(plate)"]).fit(train, y[:18])
    columns = {
        "b": y[:18],
        "p1": train["plate"] == 1,
        "p2": train["plate"] == 2,
        "age": train["age"],
    }
    design = np.column_stack([np.ones(18), *columns.values()]).astype(float)
    genes = train.filter(regex="^g").to_numpy()
    expected = np.linalg.lstsq(design, genes, rcond=None)[0][2:]
    levels = np.column_stack([test["plate"] == 1, test["plate"] == 2, test["age"]]).astype(float)
    adjusted = test.filter(regex="^g") - (levels - design[:, 2:].mean(axis=0)) @ expected
    np.testing.assert_allclose(step.transform(test), adjusted, rtol=1e-9)
    assert step.get_feature_names_out().tolist() == [f"g{i}" for i in range(30)]
    as_text = step.transform(test.astype({"plate": str}))
    np.testing.assert_array_equal(as_text, step.transform(test))
    reordered = test.assign(more=1.0)[["more", *test.columns[::-1]]]  # features go by their names
    np.testing.assert_array_equal(step.transform(reordered), step.transform(test))
    for table, match in (
        (test.assign(plate=7), "'7' in the column 'plate' .* 0, 1, 2"),
        (test.assign(age="old"), "'old' in the column 'age'"),
        (test.assign(age=np.nan), "'s18' has no value of age"),
        (test.drop(columns="age"), "needs the column 'age'"),
        (test.drop(columns="g3"), "lacks features that CovariateAdjuster .*: g3"),
    ):
        with refused(match=match):
            step.transform(table)
    with refused(match="'arm' cannot be separated from the class"):
        CovariateAdjuster(columns=["arm"]).fit(X.assign(arm=np.where(y, "u", "v")), y)


def test_a_patient_is_centred_by_its_own_samples_and_one_sample_is_refused(frame):
    X, y = frame
    X = X.drop(columns=["age", "plate"])
    step = GroupCentrer(column="patient").fit(X, y)
    shuffled = X.sample(frac=1, random_state=0)
    genes = shuffled.filter(regex="^g")
    expected = genes - genes.groupby(shuffled["patient"]).transform("mean")
    np.testing.assert_allclose(step.transform(shuffled), expected, atol=1e-12)
    with refused(match="patient 'p0' has one sample"):
        step.transform(X.iloc[1:])
    with refused(match="patient 'p3' has training samples of one class"):
        GroupCentrer(column="patient").fit(X, np.where(X["patient"] == "p3", 0, y))


@pytest.mark.parametrize("step", [ADJUST, CENTRE], ids=["adjusted", "centred"])
def test_a_study_fits_the_step_in_the_fold_and_a_model_requires_its_columns(
    frame, step, tmp_path, rng
):
    X, y = frame
    genes, phenotype = X.filter(regex="^g"), X.filter(regex="^[ap]")
    shift = 3 * rng.normal(size=(30, 12)) if step is CENTRE else np.zeros((30, 12))
    values = genes.to_numpy().T + np.repeat(shift, 2, axis=1)
    values[:4, y == 1] += 2.5
    series = dataset(
        values, np.array(["normal", "tumour"])[y], sample_metadata=phenotype.astype(str),
        groups=phenotype["patient"].to_numpy(), samples=X.index,
    )  # fmt: skip
    entry = {"steps": [step, {"method": "csnb", "params": {"n_features": 4}}]}
    validation = cross_validate(series, entry, 4)
    write_model(fit_model(series, entry, validation), tmp_path / "model.skops")
    model = read_model(tmp_path / "model.skops")
    assert set(validation.selected["feature"]) <= set(series.features)
    assert set(model.required) == set(model.signature["feature"]) < set(series.features)
    assert model.figures["accuracy"]["value"] > 0.8
    columns = {"age", "plate"} if step is ADJUST else {"patient"}
    table = pd.DataFrame(values.T, index=X.index, columns=series.features).join(phenotype)
    path = put(tmp_path, table.to_csv(index_label="id"))
    row = DatasetEntry("new", "table", str(path), id_column="id")
    samples = read_samples(row, features=model.features, columns=sorted(columns))
    assert set(samples) - set(series.features) >= columns
    actual = predict_table(model, samples).table
    direct = model.estimator.predict_proba(table[[*series.features, *sorted(columns)]])
    np.testing.assert_allclose(actual["probability.tumour"], direct[:, 1])
    with refused(match="reads the column"):
        predict_table(model, samples.drop(columns=sorted(columns)))
    late = {"steps": [{"method": "sample_ranks"}, step, {"method": "csnb"}]}
    with refused(match="put it first"):
        build_estimator(resolved(late), {})
    with refused(match="missing=drop_features"):
        incomplete = dataset(
            np.where(values > 10, np.nan, values),
            series.labels,
            missing=True,
            sample_metadata=phenotype.astype(str),
            groups=series.groups,
        )
        fit_model(incomplete, entry)


def test_the_examples_of_columns_are_the_first_level_and_the_mean(frame):
    X, y = frame[0].drop(columns="patient"), frame[1]
    step = CovariateAdjuster(columns=["age", "factor(plate)"]).fit(X, y)
    assert step.example_ == {"age": pytest.approx(X["age"].mean()), "plate": "0"}
