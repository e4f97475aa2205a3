"""Cross-validations of an analysis: the check of a series, and a job for each repeat."""

import numpy as np
import pytest
from model_files import with_holes
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.papers.common.repeats import check_complete, run_repeats


def name_and_repeat(data, repeat, params):
    return data.name, repeat, params["sizes"]


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_results_are_in_the_order_of_series_and_repeats(threads):
    values = np.zeros((2, 4))
    series = {name: dataset(values, list("aabb"), name) for name in ("first", "second")}
    results = run_repeats(name_and_repeat, series, {"repeats": 2, "sizes": [3]}, threads)
    assert results == [
        ("first", 0, [3]),
        ("first", 1, [3]),
        ("second", 0, [3]),
        ("second", 1, [3]),
    ]


def test_missing_values_and_too_few_samples_of_a_class_are_refused():
    values = np.arange(12.0).reshape(2, 6)
    complete = dataset(values, list("aaabbb"), "toy")
    check_complete(complete, "curves", 3)
    with pytest.raises(InputError, match="4"):
        check_complete(complete, "curves", 4)
    with pytest.raises(InputError, match="the analysis 'curves' takes no missing values"):
        check_complete(with_holes(), "curves", 2)
