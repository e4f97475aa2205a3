"""The packed genes of a page: what a browser unpacks is what the tables have."""

import numpy as np
import pandas as pd
import pytest
from report_blocks import unpack

from xnbflow.report.page import gene_content as gene_content_module
from xnbflow.report.page.gene_content import _pack_arrays, _round_to_steps, gene_content


def decoded(steps, limits):
    low, high = limits
    return np.where(steps > 65534, np.nan, low + (high - low) * steps.astype(float) / 65534)


@pytest.fixture
def values():
    """Values of two features in four samples of two patients, one of them missing."""
    rows = {"feature": np.repeat(["g1", "g2"], 4), "sample": ["s1", "s2", "s3", "s4"] * 2}
    rows |= {"class": ["a", "a", "b", "b"] * 2, "group": ["1", "2", "1", ""] * 2}
    rows |= {"batch": ["x", "y", "", "x"] * 2, "value": [0, 1, 2, 254.0, 5, np.nan, 5, 5]}
    return pd.DataFrame(rows)


GENES = pd.DataFrame({"feature": ["g1", "g2", "g3"], "symbol": ["TP53", "", "é</script>"]})


def test_arrays_are_read_back_at_aligned_places():
    arrays = {"a": np.array([1, 2, 65535], np.uint16), "b": np.arange(5, dtype=np.uint8)}
    header, actual = unpack(_pack_arrays({"text": "ü", "n": [1, None]}, arrays))
    assert header == {"text": "ü", "n": [1, None]}
    assert all(np.array_equal(actual[name], arrays[name]) for name in arrays)


def test_content_has_samples_values_and_statistics(values):
    statistics = {"change.0": [1.5, np.nan, -2.0], "mean": [7.0, 8.0, 9.0]}
    text = gene_content(
        GENES,
        values,
        statistics=statistics,
        flags={"core": [1, 0, 1]},
        most_bytes=10_000,
        name="toy",
    )
    header, arrays = unpack(text)
    assert header["samples"] == ["s1", "s2", "s3", "s4"]
    assert (header["classes"], header["class"]) == (["a", "b"], [0, 0, 1, 1])
    assert (header["batches"], header["batch"]) == (["x", "y"], [0, 1, -1, 0])
    assert header["group"] == [0, -1, 0, -1]  # patient 2 and the sample without one have one sample
    assert (header["features"], header["symbols"]) == (
        ["g1", "g2", "g3"],
        ["TP53", "", "é</script>"],
    )
    assert (header["total"], header["name"]) == (3, "toy")
    assert (header["low"], header["high"]) == ([0, 5], [254, 5])
    assert arrays["values"].tolist() == [0, 1, 2, 254, 0, 255, 0, 0]
    assert arrays["core"].tolist() == [1, 0, 1]
    actual = decoded(arrays["change.0"], header["ranges"]["change.0"])
    np.testing.assert_allclose(actual, statistics["change.0"], atol=3.5 / 65534)


def test_the_last_features_are_left_out_of_a_small_content(values, monkeypatch):
    n = 3_000
    names = [f"feature {i * 7919 % 10_007}" for i in range(n)]
    genes = pd.DataFrame({"feature": names, "symbol": ""})
    statistics = {"change.0": np.random.default_rng(0).normal(size=n)}
    whole = gene_content(genes, values, statistics=statistics, flags={}, most_bytes=1_000_000)
    assert len(unpack(whole)[0]["features"]) == n
    most = len(whole) // 2
    packs = []
    pack = gene_content_module._pack_arrays
    monkeypatch.setattr(
        gene_content_module, "_pack_arrays", lambda *args: packs.append(1) or pack(*args)
    )
    small = gene_content(genes, values, statistics=statistics, flags={}, most_bytes=most)
    header, arrays = unpack(small)
    assert 0.97 * most < len(small) <= most
    assert len(packs) <= 5  # each compresses all of it
    assert n / 4 < len(header["features"]) < n
    assert header["features"] == names[: len(header["features"])]
    assert header["total"] == n
    assert len(arrays["change.0"]) == len(header["features"])


def test_values_have_at_most_half_of_the_bytes(values):
    header, arrays = unpack(
        gene_content(GENES, values, statistics={}, flags={}, most_bytes=8)
    )  # one feature of four samples
    assert header["features"] == []
    header, arrays = unpack(gene_content(GENES, values, statistics={}, flags={}, most_bytes=10_000))
    assert len(arrays["values"]) == 8


def test_values_are_rounded_to_a_254th_of_the_range_of_their_feature(rng):
    exact = rng.normal(8, 2, (60, 50))
    exact[3, 4], exact[5] = np.nan, 7.0
    names = [f"g{i}" for i in range(60)]
    long = pd.DataFrame({"feature": np.repeat(names, 50), "value": exact.reshape(-1)})
    long["sample"] = [f"s{j}" for j in range(50)] * 60
    long = long.assign(**{"class": "a", "group": "", "batch": ""})
    genes = pd.DataFrame({"feature": names, "symbol": ""})
    header, arrays = unpack(gene_content(genes, long, statistics={}, flags={}, most_bytes=100_000))
    low = np.array(header["low"], float)[:, None]
    high = np.array(header["high"], float)[:, None]
    steps = arrays["values"].reshape(60, 50)
    actual = np.where(steps == 255, np.nan, low + steps / 254 * (high - low))
    most = np.nanmax(np.ptp(exact, axis=1)) / 508 + 0.005  # half a step, and rounded limits
    np.testing.assert_allclose(actual, exact, atol=most)


def test_counts_below_a_level_are_exact():
    """Of numbers beside a level the nearest step may lie on its other side."""
    fdr = np.concatenate([0.05 * (1 + np.linspace(-1e-6, 1e-6, 41)), [1e-200, 1.0, np.nan]])
    stored = -np.log10(fdr)
    steps, limits = _round_to_steps(stored, [-np.log10(0.05)])
    actual = 10.0 ** -decoded(steps, limits)
    assert ((actual < 0.05) == (fdr < 0.05))[:-1].all()
    assert steps[-1] == 65535
    plain, limits = _round_to_steps(stored)
    assert not ((10.0 ** -decoded(plain, limits) < 0.05) == (fdr < 0.05))[:-1].all()


def test_constant_and_missing_statistics():
    steps, limits = _round_to_steps(np.array([3.0, 3.0]))
    assert (steps.tolist(), limits) == ([0, 0], [3.0, 3.0])
    steps, limits = _round_to_steps(np.array([np.nan]))
    assert (steps.tolist(), limits) == ([65535], None)
