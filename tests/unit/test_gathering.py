"""What is gathered is the scheme's folds, all of them and no others."""

import pandas as pd
import pytest

from xnbflow.data.contract import FOLDS_TABLE, GATHERED_TABLES, TRAINING_TABLES
from xnbflow.data.errors import InputError
from xnbflow.data.sources.simulate import simulate_series
from xnbflow.data.tables import read_parquet, write_parquet
from xnbflow.evaluation.folds import draw_folds, folds_of_repeat
from xnbflow.evaluation.gathering import gather, read_benchmark
from xnbflow.evaluation.training import train

SERIES = simulate_series("toy", 20, 30, 2, seed=1)[0]


def write_batches(folder, scheme, trained, fails=False):
    """Write folds of a scheme (splits, repeats), and the batches of the repeats trained."""
    files = {name: [] for name in GATHERED_TABLES}
    files["folds"] = folder / "folds.parquet"
    write_parquet(draw_folds(SERIES, *scheme), files["folds"], FOLDS_TABLE)
    entry = {"method": "xnbflow.naive_bayes.gaussian.GaussianNB"}
    if fails:
        entry = {"method": "sklearn.linear_model.LogisticRegression", "params": {"C": -1.0}}
    for splits, repeat in trained:
        folds = folds_of_repeat(SERIES, splits, repeat)
        outcome = train(SERIES, folds, entry, repeat, range(splits))
        place = folder / "nb/batches" / f"{splits}-{repeat}"
        for name, table in TRAINING_TABLES.items():
            files[name].append(place / f"{name}.parquet")
            write_parquet(getattr(outcome, name), files[name][-1], table)
        files["jobs"].append(place.with_suffix(".tsv"))
        files["jobs"][-1].write_text("s\tmax_rss\n1.5\t-\n")
    outputs = {name: folder / "nb" / f"{name}.parquet" for name in GATHERED_TABLES}
    gather([f"{s}-{r}" for s, r in trained], files, outputs)
    return {name: read_parquet(path, GATHERED_TABLES[name]) for name, path in outputs.items()}


def test_the_batches_of_all_repeats_become_one_table(tmp_path):
    tables = write_batches(tmp_path, (3, 2), [(3, 0), (3, 1)])
    assert len(tables["predictions"]) == 40
    assert tables["fits"][["repeat", "fold"]].drop_duplicates().shape == (6, 2)
    assert tables["jobs"]["batch"].tolist() == ["3-0", "3-1"]
    assert tables["jobs"]["seconds"].tolist() == [1.5, 1.5]
    assert tables["jobs"]["max_memory_mb"].isna().all()


@pytest.mark.parametrize("trained", [[(2, 0)], [(3, 0), (3, 1)], [(3, 0), (3, 0)]])
def test_batches_of_another_scheme_are_refused(tmp_path, trained):
    with pytest.raises(InputError, match=r"batches does not hold the folds of .*folds.parquet"):
        write_batches(tmp_path, (3, 1), trained)


def test_a_repeat_too_few_is_refused(tmp_path):
    with pytest.raises(InputError, match="does not hold the folds"):
        write_batches(tmp_path, (3, 2), [(3, 0)])


def test_a_classifier_that_fails_in_every_fold_has_its_rows_too(tmp_path):
    tables = write_batches(tmp_path, (3, 1), [(3, 0)], fails=True)
    assert tables["fits"]["status"].tolist() == ["failed"] * 3
    assert tables["predictions"].empty


def test_a_repeats_folds_do_not_depend_on_their_number():
    drawn = draw_folds(SERIES, 4, 3)
    for repeat in range(3):
        own = drawn[drawn["repeat"] == repeat].reset_index(drop=True)
        pd.testing.assert_frame_equal(folds_of_repeat(SERIES, 4, repeat), own)
    assert not drawn.query("repeat == 0")["sample"].equals(drawn.query("repeat == 1")["sample"])


def test_what_is_no_record_of_a_job_is_refused(tmp_path):
    (tmp_path / "a.tsv").write_text("s\th:m:s\n")
    with pytest.raises(InputError, match=r"a.tsv is no record of a job; delete it"):
        read_benchmark(tmp_path / "a.tsv")
