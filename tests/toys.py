"""A series of values and labels that a test gives."""

from xnbflow.data.dataset import DataSet


def dataset(values, labels, name="toy", **changes):
    """Return a series whose features are g0, g1, ..., and whose samples are s0, s1, ..."""
    features, samples = [f"g{i}" for i in range(len(values))], [f"s{i}" for i in range(len(labels))]
    return DataSet(
        name, values, **{"features": features, "samples": samples, "labels": labels} | changes
    )
