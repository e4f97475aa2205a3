"""The audit of a series: confounders, exchanged sexes, copies; and a real series."""

from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from toys import dataset, refused

from xnbflow.core.findings import Finding
from xnbflow.core.study import Design
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics import series_audit
from xnbflow.diagnostics.adjustment import covariates, design_notes
from xnbflow.diagnostics.sample_components import principal_components
from xnbflow.diagnostics.series_audit import _copy_findings, _find_copies, audit
from xnbflow.diagnostics.series_fingerprints import shared_by_series
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.table import read_table

N, FEATURES = 24, 300
LABELS = np.repeat(["normal", "tumour"], N // 2)


def series(values=None, name="toy", labels=LABELS, **columns):
    rng = np.random.default_rng(1)
    values = rng.normal(8, 1, (FEATURES, N)) if values is None else values
    phenotype = pd.DataFrame(columns) if columns else None
    samples = [f"{name}{i}" for i in range(values.shape[1])]
    return dataset(values, labels, name, samples=samples, sample_metadata=phenotype)


def findings(series, *kinds):
    table = audit(series)["findings"]
    return table[table["kind"].isin(kinds)].set_index("subject")


def associations(series):
    return audit(series)["associations"].set_index("column")


@pytest.mark.slow
def test_a_batch_that_is_the_class_is_a_finding_and_a_balanced_one_is_not():
    recorded = series(
        batch=np.repeat(["b", "a"], N // 2),
        nested=np.repeat(["p", "q", "r", "s"], N // 4),
        balanced=["x", "y"] * (N // 2),
        age=[*range(20, 32), *range(50, 62)],
        scan=["inf", *range(1, N)],
        stage=[""] * 12 + ["1", "2"] * 6,
        label=LABELS,
    )
    rows = findings(recorded, "separates classes", "associated")
    expected = {"batch": "separates classes", "nested": "separates classes", "age": "associated"}
    assert rows.loc[list(expected), "kind"].to_dict() == expected
    tested = associations(recorded)
    assert "balanced" in tested.index
    assert "balanced" not in rows.index
    assert not {"stage", "label"} & set(tested.index)  # of one class only; the class itself
    assert tested.loc["batch", "p"] == pytest.approx(2 / comb(24, 12))  # both extreme tables
    assert rows.index[0] in {"batch", "nested"}


def test_samples_of_one_patient_are_one_unit_in_tests_of_confounders():
    patients = np.repeat([f"p{i}" for i in range(8)], 3)
    per_patient = {"age": [40, 50, 60, 70, 45, 55, 65, 75], "ward": [*"aaabbbba"]}
    columns = {name: np.repeat(values, 3) for name, values in per_patient.items()}
    samples = series(**columns)
    grouped = replace(samples, groups=patients)
    one_each = series(np.ones((1, 8)), labels=np.repeat(["normal", "tumour"], 4), **per_patient)
    p_grouped = associations(grouped).loc[["age", "ward"], "p"]
    p_one_each = associations(one_each).loc[["age", "ward"], "p"]
    p_samples = associations(samples).loc[["age", "ward"], "p"]
    assert p_grouped.tolist() == pytest.approx(p_one_each.tolist())
    assert (p_samples < p_one_each).all()


def test_exchanged_sexes_are_named_and_right_ones_are_not(rng):
    male = np.arange(N) % 2 == 0
    values = rng.normal(8, 1, (FEATURES, N))
    values[:4] = rng.normal(6, 0.3, (4, N))
    values[0] += 4 * ~male
    values[1:4] += 3 * male
    recorded = np.where(male, "M", "F")
    recorded[[4, 9]] = ["F", "M"]
    genes = pd.DataFrame({"symbol": ["XIST", "RPS4Y1", "KDM5D", "DDX3Y", *[""] * (FEATURES - 4)]})

    def severities(cells):
        recorded_series = replace(series(values, Gender=cells), feature_metadata=genes)
        return findings(recorded_series, *kinds)["severity"].to_dict()

    kinds = ("sex differs", "sex not shown")
    assert severities(recorded) == {"toy4": "warning", "toy9": "warning"}
    assert severities(np.where(male, "male", "female")) == {}
    assert findings(series(Gender=recorded), *kinds).empty  # without the genes


def test_extreme_intensities_that_two_samples_share_make_no_copies_of_them(rng):
    """Of values that are not logged, two features would decide the correlation of samples."""
    levels = rng.normal(7, 1.5, (FEATURES, 1))
    intensities = 2 ** (levels + rng.normal(0, 0.4, (FEATURES, N)))
    intensities = np.tile(intensities, (2, 1)) * 2 ** rng.normal(0, 0.4, (2 * FEATURES, N))
    intensities[:2, [3, 9]] = 2**19
    assert findings(series(intensities), "near copies", "replicates").empty
    intensities[2:, 9] = 1.1 * intensities[2:, 3]
    rows = findings(series(intensities), "near copies").reset_index()
    assert rows[["subject", "other"]].values.tolist() == [["toy3", "toy9"]]


def test_copies_within_a_series_and_across_series_are_named(rng, tmp_path):
    values = rng.normal(8, 1, (FEATURES, N))
    values[:, 5] = values[:, 2]
    values[:, [7, 9]] = values[:, [3, 4]] + rng.normal(0, 0.1, (FEATURES, 2))
    one = series(values)
    rows = findings(one, "equal samples", "near copies").reset_index()
    assert rows[["subject", "kind", "other"]].values.tolist() == [
        ["toy2", "equal samples", "toy5"],
        ["toy3", "near copies", "toy7"],
        ["toy4", "near copies", "toy9"],
    ]
    (copies,) = findings(one, "copies", "many copies").to_dict("records")
    assert (copies["kind"], copies["count"], copies["total"]) == ("copies", 4, N)
    three_times = values.copy()
    three_times[:, 6] = values[:, 2]
    pairs = findings(series(three_times), "equal samples").reset_index()[["subject", "other"]]
    assert pairs.values.tolist() == [["toy2", "toy5"], ["toy2", "toy6"]]
    other = rng.normal(8, 1, (FEATURES, 10))
    other[:, 6] = 0.5 * values[:, 20] + 1  # normalised anew
    two = series(other, "two", labels=list("ab") * 5)
    three = series(rng.normal(8, 1, (FEATURES, 10)), "three", labels=list("ab") * 5)
    paths = {}
    for written in (one, two, three):
        paths[written.name] = tmp_path / written.name
        written.write(paths[written.name])
    shared = shared_by_series(paths)
    columns = ["dataset", "subject", "other"]
    assert shared[columns].values.tolist() == [["toy", "toy20", "two: two6"]]


@pytest.mark.parametrize(
    ("kind", "n_copies", "expected"),
    [
        ("equal samples", 10, ["many copies"]),
        ("equal samples", 9, ["copies"]),
        ("near copies", 50, ["many copies"]),
        ("near copies", 49, ["copies"]),
        ("near copies", 10, ["copies"]),
        ("near copies", 9, []),
        ("replicates", 100, []),
    ],
)
def test_shares_of_copies_among_100_samples(kind, n_copies, expected):
    """Pairs of the first sample with others; a name may contain the sign of a pair."""
    pairs = [
        Finding(code="repeats", kind=kind, subject="s ~ 0", other=f"s = {i}")
        for i in range(1, n_copies)
    ]
    limiting = _copy_findings(pairs, 100)
    assert [finding.kind for finding in limiting] == expected
    assert all(
        (finding.numbers["count"], finding.numbers["total"]) == (n_copies, 100)
        for finding in limiting
    )


@pytest.mark.parametrize(("r", "kind"), [(0.95, "near copies"), (0.949, "replicates")])
def test_samples_that_correlate_by_19_of_20_are_near_copies(monkeypatch, rng, r, kind):
    pair = (np.array([[0, 1]]), np.array([r]))
    monkeypatch.setattr(series_audit, "similar_samples", lambda _: pair)
    findings = _find_copies(dataset(rng.normal(size=(200, 24)), ["a", "b"] * 12))
    assert [finding.kind for finding in findings] == [kind]


def test_components_are_those_of_scikit_learn_and_an_outlier_is_named():
    values = np.random.default_rng(5).normal(8, 1, (FEATURES, N))
    values[:, 12:] += np.linspace(0, 3, FEATURES)[:, None]
    values[:150, 3] += 12
    table, notices = principal_components(series(values))
    fitted = PCA(5, svd_solver="full").fit(StandardScaler().fit_transform(values.T))
    shares = table[["share_1", "share_2"]].iloc[0].to_numpy()
    np.testing.assert_allclose(shares, fitted.explained_variance_ratio_[:2], rtol=1e-9)
    scores = fitted.transform(StandardScaler().fit_transform(values.T))
    for i in (1, 2):
        component = table[f"component_{i}"].to_numpy()
        np.testing.assert_allclose(np.abs(component), np.abs(scores[:, i - 1]), atol=1e-8)
    assert [notice.subject for notice in notices if notice.kind == "outlier"] == ["toy3"]


def test_the_scale_of_every_source_is_seen():
    logged = np.random.default_rng(6).normal(9, 2, (FEATURES, N))
    raw, mixed = np.exp2(logged), np.where(np.arange(N) < 6, logged, np.exp2(logged))
    few, raw = raw, np.tile(raw, (2, 1))
    twice = np.log2(np.clip(logged, 2, 16))
    faults = {"not logged": raw, "counts": few // 1, "mixed": mixed, "logged twice": twice}
    # mass spectrometers measure 1e4 and more, and 0 is what was not found
    proteins = 2 ** (logged + 15)
    proteins[:40, :5] = 0
    faults["intensities"] = proteins
    for kind, values in faults.items():
        assert findings(series(values), "scale")["severity"].to_dict() == {kind: "warning"}
    among = logged.copy()
    among[7] = np.random.default_rng(0).integers(20, 79, N)  # an age is not of their scale
    # so few features without names of genes may be anything
    for values in (logged, np.log10(2) * logged, among, few):
        assert findings(series(values), "scale").empty


def test_columns_of_the_phenotype_are_kept_and_are_no_features(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("id,type,day,age,g1\na,x,1,20,.5\nb,x,1,30,.7\nc,y,2,40,.9\nd,y,2,50,.1\n")

    def read(**options):
        return read_table(
            path, DatasetEntry("own", "table", label="type", id_column="id", **options)
        )

    table = read(batch="day", phenotype_columns=("age",))
    assert table.features.tolist() == ["g1"]
    assert table.sample_metadata["age"].tolist() == ["20", "30", "40", "50"]
    assert findings(table, "separates classes").index.tolist() == ["batch (day)"]
    with refused(key="group"):
        read(group="day", phenotype_columns=("age",))
    with refused(key="batch"):
        read(batch="side")


def test_genes_are_adjusted_for_columns_of_a_table_and_pairs_are_noted(tmp_path):
    path, copy = tmp_path / "own.csv", tmp_path / "copy.parquet"
    lines = ["id,type,patient,Age,day,arm,sex,dose,g1"]
    for i in range(16):
        patient = i // 2 if i < 8 else i
        sex = "" if i == 3 else "mf"[i % 3 % 2]
        cells = ["xy"[i % 2], patient, 40 + i * i % 17, i // 4, i % 2, sex, "low", 0.1 * i * i]
        lines.append(",".join(map(str, [f"s{i}", *cells])))
    path.write_text("\n".join(lines))
    columns = ("patient", "Age", "day", "arm", "sex", "dose")

    def read(**options):
        options = {"phenotype_columns": columns} | options
        return read_table(
            path, DatasetEntry("own", "table", label="type", id_column="id", **options)
        )

    series = read(batch="day")
    by_age_and_day = Design(adjust=("age", "factor(day)"))
    series.write(copy)
    adjusted = covariates(DataSet.read(copy), by_age_and_day)
    assert adjusted["Age"].dtype == float
    assert set(adjusted["batch (day)"]) == {"0", "1", "2", "3"}
    notes = "".join(design_notes(series, by_age_and_day))
    assert "adjusted for 'Age' (numbers), 'batch (day)' (4 categories)" in notes
    paired = "".join(design_notes(read(group="patient"), Design()))
    assert "within 4 groups of several classes; 8 groups of one class are compared" in paired
    by_sex = "".join(design_notes(read(), Design(adjust=("sex", "Age"))))
    assert "adjusted for 'sex' (2 categories), 'Age' (numbers)" in by_sex
    assert "1 sample has no value of 'sex' and is left out" in by_sex
    assert "s3; classifiers use all samples" in by_sex
    assert read().n_samples == 16
    for column, what in (
        ("weight", "'weight', which is not a column"),
        ("arm", "'arm' cannot be separated"),
        ("dose", "'dose' is the same in all"),
    ):
        with refused(what, key="adjust"):
            design_notes(read(), Design(adjust=(column,)))


def test_a_column_without_values_in_a_class_or_a_missing_group_is_refused(tmp_path):
    path = tmp_path / "own.csv"

    def read(cells, **options):
        rows = [f"s{i},{'xy'[i % 2]},{cell},{i * i % 7}" for i, cell in enumerate(cells)]
        path.write_text("\n".join(["id,type,age,g1", *rows, ""]))
        options = {"phenotype_columns": ("age",)} | options
        row = DatasetEntry("own", "table", label="type", id_column="id", **options)
        return read_table(path, row)

    ages = [str(40 + i * i % 17) for i in range(12)]
    some = ["" if i in (1, 4) else age for i, age in enumerate(ages)]
    assert not read(some).notes  # a study that does not use the column
    with refused("2 samples have no 'age', which group names: s1, s4", key="group"):
        read(some, group="age")
    by_age = Design(adjust=("age",))
    with refused("no sample of the class x, y has a value of 'age'", key="adjust"):
        design_notes(read(["NA"] * 12), by_age)
    with refused("no sample of the class y has a value of 'age'", key="adjust"):
        design_notes(read(["NA" if i % 2 else age for i, age in enumerate(ages)]), by_age)
    with refused("no degrees of freedom are left", key="adjust"):
        design_notes(read([age if i < 3 else "?" for i, age in enumerate(ages)]), by_age)


def test_p_of_a_complete_association_is_the_share_of_all_labels_with_one():
    cells, labels = list("aaabbcdd"), [*"xxxxxyyy"]
    complete = 0
    for chosen in map(set, combinations(range(8), 3)):
        complete += not {cells[i] for i in chosen} & {cells[i] for i in {*range(8)} - chosen}
    rows = associations(series(np.ones((1, 8)), labels=labels, plate=cells))
    assert rows.loc["plate", "p"] == pytest.approx(complete / comb(8, 3))


def test_a_column_that_is_the_class_in_other_words_is_no_confounder():
    recorded = series(
        tissue=np.where(LABELS == "normal", "normal brain", "adenocarcinoma"),
        diagnosis=np.where(LABELS == "normal", "healthy", "TU"),  # letters of tumour
        hospital=np.where(LABELS == "normal", "Ulm", "Bonn"),
        treatment=np.where(LABELS == "normal", "untreated", "statin"),
    )
    same = findings(recorded, "class in other words")
    assert same["severity"].to_dict() == {"tissue": "notice", "diagnosis": "notice"}
    assert set(findings(recorded, "separates classes").index) == {"hospital", "treatment"}


def test_a_component_that_follows_a_column_is_named_whatever_the_column_is_called(rng):
    """As the library type of pasilla, which separates the first component and not the class."""
    library = np.tile(["single", "paired"], N // 2)
    values = rng.normal(8, 1, (FEATURES, N))
    values[:100] += 4 * (library == "paired")
    both = audit(series(values, q=library, run=rng.permutation(N)))
    rows = both["findings"].query("kind == 'component'").set_index("subject")
    assert rows.index.tolist() == ["component 1"]
    assert rows["other"].tolist() == ["q"]
    assert rows["severity"].item() == "notice"
    assert rows["estimate"].item() > 0.7
    assert both["samples"]["phenotype.q"].tolist() == library.tolist()  # its colour
    assert not findings(series(rng.normal(8, 1, (FEATURES, N)), q=library), "component").size


def test_a_finding_has_the_line_to_write_and_the_genes_it_changes(rng):
    plate = np.where(rng.random(N) < 0.1, LABELS == "normal", LABELS == "tumour").astype(int)
    values = rng.normal(8, 1, (FEATURES, N))
    values[:60] += 4 * plate
    confounded = series(
        values,
        plate=plate,
        age=rng.permutation(N),
        **{"batch (day)": np.where(LABELS == "normal", "A", "B")},
    )
    rows = findings(confounded, "separates classes", "associated")
    assert rows.loc["plate", "other"] == "factor(plate)"  # the term of a design
    assert rows.loc["plate", "genes"] > 30
    assert rows.loc["plate", "genes_adjusted"] < 5
    assert rows.loc["batch (day)", "other"] == ""  # no comparison can be adjusted for it
    assert np.isnan(rows.loc["batch (day)", "genes_adjusted"])
    assert "age" not in rows.index
    assert np.isnan(associations(confounded).loc["age", "genes"])
    unknown = np.arange(N) % 8 == 0
    missing = findings(series(values, plate=np.where(unknown, "NA", plate)), "associated")
    fewer = findings(confounded.take(~unknown), "associated")
    numbers = ["genes", "genes_adjusted"]
    assert missing.loc["plate", numbers].tolist() == fewer.loc["plate", numbers].tolist()
    assert missing.loc["plate", "count"] == unknown.sum()  # without a value


@pytest.mark.slow
def test_random_columns_seldom_raise_an_alarm(rng):
    """Of 80 columns without information at most one is reported, after Holm's adjustment."""
    columns = {f"c{i}": rng.choice(list("abc"), N) for i in range(40)}
    columns |= {f"n{i}": rng.normal(size=N).astype(str) for i in range(40)}
    tables = audit(series(**columns))
    assert len(tables["associations"]) == 80
    assert tables["findings"]["kind"].isin(["separates classes", "associated"]).sum() <= 1


@pytest.mark.slow  # more than a second for 1,002 samples
def test_of_more_than_a_thousand_samples_a_thousand_have_components(rng):
    values = rng.normal(size=(3, 1002))
    components, _ = principal_components(dataset(values, ["a", "b"] * 501))
    assert len(components) == 1000
    assert components["position"].iloc[[0, -1]].tolist() == [0, 1001]


def test_columns_that_name_patients_or_samples_colour_no_component(rng):
    """A component follows two patients of eight; their names are in no table."""
    patients = np.repeat([f"Doe, Jane {i}" for i in range(8)], 3)
    names = [f"patient tissue {i}" for i in range(24)]
    plate = np.resize(["one", "two"], 24)
    values = rng.normal(size=(300, 24))
    values[:100] += 6 * np.isin(patients, patients[[0, 3]])
    data = dataset(
        values,
        np.resize(["a", "b", "b"], 24),
        groups=patients,
        sample_metadata=pd.DataFrame({"who": patients, "title": names, "plate": plate}),
    )
    components = audit(data)["samples"]
    coloured = [name for name in components if name.startswith("phenotype.")]
    assert coloured == ["phenotype.plate"]
    assert not components.astype(str).apply(lambda cells: cells.str.contains("Jane")).any(axis=None)
