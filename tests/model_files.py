"""Model files with another schema, and a series to fit models on."""

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


def edited(path, to, change):
    """Copy a model with its schema changed: ``change`` edits the content in place.

    A model file is a ZIP archive of arrays and the schema of what they belong to.
    """
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(parts["schema.json"])
    change(schema["content"])
    parts["schema.json"] = json.dumps(schema)
    with zipfile.ZipFile(to, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return to
