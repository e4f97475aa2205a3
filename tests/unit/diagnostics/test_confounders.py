"""Columns are confounders by their values: dates, "none", and the class in other words."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.class_words import is_class_in_other_words
from xnbflow.diagnostics.column_associations import associations
from xnbflow.diagnostics.column_parts import _parts_of_column
from xnbflow.diagnostics.columns import as_dates, column_values

N = 24
LABELS = np.repeat(["tumour", "normal"], N // 2)


def labelled(**columns):
    """Return a series with columns of its samples."""
    values = np.random.default_rng(0).normal(size=(40, N))
    return DataSet(
        "toy",
        values,
        features=[f"g{i}" for i in range(40)],
        samples=[f"s{i}" for i in range(N)],
        labels=LABELS,
        sample_metadata=pd.DataFrame(columns, dtype=object),
    )


def findings(**columns):
    """Return the findings by column."""
    return {finding.subject: finding for finding in associations(labelled(**columns))[1]}


def p_values(**columns):
    """Return the tested columns with their p."""
    return associations(labelled(**columns))[0].set_index("column")["p"]


def test_follow_up_is_tested_as_every_column_and_noted_as_an_outcome():
    days = [str(100 + i + 500 * (i >= N // 2)) for i in range(N)]
    series = labelled(days_to_death=days, vital_status=["dead", "alive"] * 12, days=days)
    table, found = associations(series)
    notices = [finding.subject for finding in found if finding.kind == "follow-up"]
    assert notices == ["days_to_death", "vital_status"]
    p = table.set_index("column")["p"]
    assert p["days_to_death"] == p["days"] < 0.001
    warnings = {finding.subject: finding for finding in found if finding.severity == "warning"}
    assert set(warnings) == {"days_to_death", "days"}
    assert warnings["days"].other == "days"  # the term of a design


@pytest.mark.parametrize("name", ["hospital", "region", "recruited_at", "run_order", "x"])
def test_the_name_of_a_column_decides_nothing(name):
    site = np.where(np.arange(N) % 12 < 2, "Ulm", "Bonn")
    site[: N // 2] = np.where(site[: N // 2] == "Ulm", "Bonn", "Ulm")
    finding = findings(**{name: site})[name]
    assert (finding.kind, finding.severity) == ("associated", "warning")
    assert finding.numbers["p"] == pytest.approx(
        0.0033, abs=2e-4
    )  # Fisher's exact test of 10, 2, 2, 10


@pytest.mark.parametrize(
    ("labels", "values", "same"),
    [
        (["renal cell carcinoma", "normal"], ["RCC", "normal kidney"], True),
        (["RCC", "normal"], ["Renal Cell Carcinoma", "control"], True),
        (["wild type", "knockout"], ["WT", "KO"], True),
        (["tumour", "normal"], ["T", "N"], False),  # may be the initials of hospitals
        (["tumour", "normal"], ["Tumor_batch", "Normal_batch"], False),
        (["tumour", "normal"], ["tumour plates", "normal plates"], False),
        (["case", "control"], ["statin", "untreated"], False),
        (["case", "control"], ["yes", "no"], False),
        (["case", "control"], ["statin", "control"], False),  # statin is not a word of the class
        (["tumour", "normal"], ["Ulm", "Bonn"], False),
        (["tumour", "normal"], ["normal", "tumour"], False),  # the words of the other class
        (["tumour", "normal"], ["tumour", "normal, adjacent to the tumour"], False),
        (["2", "1"], ["site 2", "site 1"], False),  # numbers are no words
        (["breast tumour", "breast normal"], ["breast A", "breast B"], False),  # common words
        (["tumour", "normal"], ["tumour of breast", "normal breast tissue"], True),
        (["tumour", "normal"], ["tumour taken early", "normal taken late"], True),  # a third
        (["tumour", "normal"], ["tumour taken after surgery", "normal taken late"], False),
        (["mucosa, case", "healthy"], ["mucosa kept after surgery", "healthy biopsy"], False),
    ],
)
def test_the_class_in_other_words_is_recognised_by_its_values(labels, values, same):
    of_sample = pd.Series(np.repeat(labels, N // 2))
    cells = pd.Series(np.repeat(values, N // 2), name="treatment")
    assert is_class_in_other_words(of_sample, cells) == same
    mixed = cells.copy()
    mixed[0] = values[1]  # a value of both classes
    assert not is_class_in_other_words(of_sample, mixed)


def test_none_is_a_category_beside_categories_and_missing_beside_numbers():
    drug = ["statin"] * 12 + ["none"] * 12
    assert findings(drug=drug)["drug"].kind == "separates classes"
    dose = [str(number) for number in np.arange(0.5, 12.5)] + ["none"] * 12
    assert "dose" not in p_values(dose=dose)
    assert findings(dose=dose)["dose"].kind == "recorded in one class"


def test_dates_are_categories_in_one_order_of_day_and_month():
    """Two days read in two orders, 11 February beside 14 December, would be another column."""
    dates = np.repeat(["02.11.2020", "14.12.2020"], N // 2)
    dates[[0, N - 1]] = dates[[N - 1, 0]]
    letters = np.where(dates == "02.11.2020", "A", "B")
    p = p_values(RunDate=dates, plate=letters)
    assert p["RunDate"] == p["plate"]
    days = as_dates(pd.Series(["02/11/2020", "14/12/2020"]))
    assert days.dt.month.tolist() == [11, 12]  # 14 is no month
    assert as_dates(pd.Series(["02/11/2020", "03/12/2020"])).dt.month.tolist() == [2, 3]
    assert as_dates(pd.Series(["5.1", "6.2"])) is None


def test_days_of_one_sample_each_are_numbers():
    days = [f"{1 + i:02d}.03.2021" for i in range(N)]
    values = column_values(pd.Series(LABELS), pd.Series(days, name="day"))
    assert np.diff(values).tolist() == [1.0] * (N - 1)


@pytest.mark.slow
def test_wells_times_and_arrays_have_the_order_of_processing():
    """Each names its sample; 24 wells of six columns, of which the classes have half each."""
    order = np.arange(N)
    wells = [f"{'ABCD'[i // 6]}{1 + i % 6:02d}" for i in order]
    times = [f"2024-03-04 {8 + i // 6:02d}:{10 * (i % 6):02d}" for i in order]
    clock = [f"{8 + i // 6}:{10 * (i % 6):02d}" for i in order]
    arrays = [f"20391482000{i // 8}_R{1 + i % 8:02d}C01" for i in order]
    columns = {"well": wells, "scanned": times, "clock": clock, "chip": arrays}
    rows = findings(**columns)
    p = p_values(**columns)
    # Each row of the plate, and thus each half of the day, has one class.
    assert rows["well (row)"].kind == "separates classes"
    assert "well (column)" in p.index
    assert "well (column)" not in rows
    assert rows["scanned (time)"].kind == "associated"
    assert p["scanned (time)"] == p["clock (time)"] < 0.001
    assert rows["chip (barcode)"].severity == "warning"
    assert "chip (column)" not in p.index  # all arrays are in the first
    assert not set(columns) & set(p.index)


@pytest.mark.parametrize(
    "cells",
    [
        ["T1", "T2", "N1", "N2"] * 6,  # stages
        ["A1", "A2"] * 12,
        ["2024-03-04"] * 24,  # a day without a time
        ["25:10", "08:10"] * 12,  # no hours
        ["2039148200_R01", "2039148201_R01"] * 12,
    ],
)
def test_other_columns_have_no_parts(cells):
    assert _parts_of_column(pd.Series(cells)) == {}


def test_a_column_of_one_class_is_a_notice_and_limits_the_verdict_if_it_is_a_batch():
    methods = np.where(np.arange(N) % 2, "needle", "surgical")
    in_tumours = np.where(LABELS == "tumour", methods, "")
    few = np.where(np.arange(N) < 2, "seen twice", "")  # two of 24 may be of one class by chance
    rows = findings(**{"biopsy": in_tumours, "batch (biopsy)": in_tumours, "remark": few})
    assert rows["biopsy"].severity == "notice"
    assert rows["batch (biopsy)"].allows == "cannot be judged"
    assert "remark" not in rows


@pytest.mark.parametrize(("n_wells", "are_wells"), [(7, False), (8, True)])
def test_eight_names_like_wells_are_wells(n_wells, are_wells):
    """Fewer are names, such as stages T1 and N2."""
    wells = [f"{row}{column}" for row in "AB" for column in range(1, 5)][:n_wells]
    assert bool(_parts_of_column(pd.Series(wells * 2))) == are_wells
