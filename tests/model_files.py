"""Model files taken apart and put together again, and a series to fit models on.

A model file is a ZIP archive of arrays, a schema and a digest of both: `packed` renews the digest,
so that a test can change a part and reach the checks behind it; `edited` changes the schema.
"""

import hashlib
import json
import zipfile
from dataclasses import replace

import numpy as np
from toys import dataset


def two_classes(n=40, p=8, seed=0):
    """Return a series of two classes in turn; g0 is 4 higher in tumours, g1 is 3 lower."""
    rng = np.random.default_rng(seed)
    labels = np.array(["tumour", "normal"])[np.arange(n) % 2]
    values = rng.normal(8.0, 1.0, size=(p, n))
    values[0] += 4 * (labels == "tumour")
    values[1] -= 3 * (labels == "tumour")
    return dataset(values, labels)


def with_holes():
    """Return the same series without its values above 9."""
    values = two_classes().values
    return replace(two_classes(), values=np.where(values > 9, np.nan, values), missing=True)


def parts_of(path):
    """Return the content of each part of a model file by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts, to, **options):
    """Write the parts of a model with the digest that they have now; return the path.

    ``options`` are those of `zipfile.ZipFile`.
    """
    digest = hashlib.sha256()
    for name in sorted(parts.keys() - {"digest.json"}):
        digest.update(f"{name}\0{len(parts[name])}\0".encode() + parts[name])
    parts = {**parts, "digest.json": json.dumps(digest.hexdigest()).encode()}
    with zipfile.ZipFile(to, "w", **options) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return to


def edited(path, to, change):
    """Copy a model with its schema changed: ``change`` edits the content in place."""
    parts = parts_of(path)
    schema = json.loads(parts["schema.json"])
    change(schema["content"])
    return packed(parts | {"schema.json": json.dumps(schema).encode()}, to)
