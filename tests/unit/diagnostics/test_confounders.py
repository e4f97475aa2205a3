"""Columns are confounders by their values: dates, "none", and the class in other words."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.class_synonyms import is_class_in_other_words
from xnbflow.diagnostics.column_values import as_dates, usable
from xnbflow.diagnostics.confounders import confounders

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
    return {finding.subject: finding for finding in confounders(labelled(**columns))[1]}


def p_values(**columns):
    """Return the tested columns with their p."""
    return confounders(labelled(**columns))[0].set_index("column")["p"]


def test_follow_up_is_tested_as_every_column_and_noted_as_an_outcome():
    days = [str(100 + i + 500 * (i >= N // 2)) for i in range(N)]
    series = labelled(days_to_death=days, vital_status=["dead", "alive"] * 12, days=days)
    associations, found = confounders(series)
    notices = [finding.subject for finding in found if finding.kind == "follow-up"]
    assert notices == ["days_to_death", "vital_status"]
    p = associations.set_index("column")["p"]
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
    assert finding.p == pytest.approx(0.0033, abs=2e-4)  # Fisher's exact test of 10, 2, 2, 10


@pytest.mark.parametrize(
    ("labels", "values", "same"),
    [
        (["renal cell carcinoma", "normal"], ["RCC", "normal kidney"], True),
        (["RCC", "normal"], ["Renal Cell Carcinoma", "control"], True),
        (["tumour", "normal"], ["T", "N"], True),
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
    values = usable(pd.Series(LABELS), pd.Series(days, name="day"))
    assert np.diff(values).tolist() == [1.0] * (N - 1)
