"""Series and files of what a test gives."""

import gzip

from xnbflow.data.dataset import DataSet


def dataset(values, labels, name="toy", **changes):
    """Return a series whose features are g0, g1, ..., and whose samples are s0, s1, ..."""
    features, samples = [f"g{i}" for i in range(len(values))], [f"s{i}" for i in range(len(labels))]
    return DataSet(
        name, values, **{"features": features, "samples": samples, "labels": labels} | changes
    )


def put(folder, text, name="mine.csv"):
    """Write a file, packed where its name says so."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path
