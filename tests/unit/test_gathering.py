"""What is gathered is the scheme's folds, all of them and no others."""

import pandas as pd
import pytest

from xnbflow.data.contract import TRAINING_TABLES
from xnbflow.data.errors import InputError
from xnbflow.data.sources.simulate import simulate_series
from xnbflow.data.tables import write_parquet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.folds_file import folds_of_batch
from xnbflow.evaluation.gathering import gather, read_benchmark
from xnbflow.evaluation.training import train

SERIES = simulate_series("toy", 20, 30, 2, seed=1)[0]
GAUSSIAN = {"method": "xnbflow.naive_bayes.gaussian.GaussianNB"}
FAILING = {"method": "sklearn.linear_model.LogisticRegression", "params": {"C": -1.0}}


def gathered(folder, scheme, trained, entry=GAUSSIAN):
    """Write the batches (splits, repeat, folds) and gather them for a scheme (splits, repeats)."""
    files = {name: [] for name in TRAINING_TABLES}
    for number, (splits, repeat, folds) in enumerate(trained):
        drawn = draw_folds(SERIES, splits, repeat + 1)
        tables = train(SERIES, folds_of_batch(drawn, [repeat], folds), entry)
        for name, table in TRAINING_TABLES.items():
            files[name].append(folder / "nb/batches" / str(number) / f"{name}.parquet")
            write_parquet(tables[name], files[name][-1], table)
    return gather(files, draw_folds(SERIES, *scheme))


def test_batches_of_folds_become_the_tables_of_one_training(tmp_path):
    tables = gathered(tmp_path, (3, 2), [(3, 0, [0, 1]), (3, 0, [2]), (3, 1, None)])
    whole = train(SERIES, draw_folds(SERIES, 3, 2), GAUSSIAN)
    for name, table in tables.items():
        seconds = [column for column in table if column.endswith("seconds")]
        expected = whole[name].drop(columns=seconds)
        pd.testing.assert_frame_equal(table.drop(columns=seconds), expected, check_dtype=False)


@pytest.mark.parametrize(
    ("scheme", "trained"),
    [
        ((3, 1), [(2, 0, None)]),
        ((3, 1), [(3, 0, None), (3, 1, None)]),
        ((3, 1), [(3, 0, None), (3, 0, None)]),
        ((3, 2), [(3, 0, None)]),
        ((3, 1), [(3, 0, [0, 1])]),
    ],
)
def test_batches_of_another_scheme_are_refused(tmp_path, scheme, trained):
    with pytest.raises(InputError, match="does not hold the folds"):
        gathered(tmp_path, scheme, trained)


def test_a_classifier_that_fails_in_every_fold_has_its_rows_too(tmp_path):
    tables = gathered(tmp_path, (3, 1), [(3, 0, None)], FAILING)
    assert tables["fits"]["status"].tolist() == ["failed"] * 3
    assert tables["predictions"].empty


@pytest.mark.parametrize("memory", ["-", "NA"])
def test_a_job_too_short_to_be_measured_has_no_memory(tmp_path, memory):
    (tmp_path / "a.tsv").write_text(f"s\th:m:s\tmax_rss\n1.5\t0:00:01\t{memory}\n")
    record = read_benchmark(tmp_path / "a.tsv")
    assert record["seconds"].tolist() == [1.5]
    assert record["max_memory_mb"].isna().all()
