"""Model files in skops' format, without pickle: reading runs no code of the file."""

import io
import json
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.models.permitted_types import permitted_types
from xnbflow.models.trained import TrainedModel, predict_quartiles
from xnbflow.models.typicality import Typicality

#: Version of the format; increase it when older or newer programs cannot read the files.
MODEL_VERSION = 5

#: The name of the format, in the header of a file.
_FORMAT = "xnbflow-model"
#: The part of the file with skops' description of the objects.
_SCHEMA = "schema.json"
#: The plain parts of a model, stored as one JSON text.
_JSON_PARTS = ("entry", "series", "symbols", "signature", "features", "figures", "versions")
#: Greatest difference of a probability when a model is read, against when it was written.
_PROBE_TOLERANCE = 1e-6


def _skops() -> Any:
    """Return the module ``skops.io``; few jobs keep a model."""
    import skops.io  # noqa: PLC0415  it imports all of scikit-learn: half a second

    return skops.io


def write_model(model: TrainedModel, path: str | Path) -> None:
    """Write a model to a skops file, atomically.

    Parameters
    ----------
    model : TrainedModel
    path : path
        Missing folders are created.

    Raises
    ------
    InputError
        If skops cannot store an object of the estimator.

    Examples
    --------
    See `read_model`.
    """
    content = _content(model)
    try:
        with _without_feature_names(model):
            data = _skops().dumps(content)
    except (TypeError, ValueError, AttributeError) as error:
        kind = type(model.estimator).__name__
        msg = f"a skops file cannot keep {kind} ({error}); use another estimator"
        raise InputError(msg) from error
    write_atomically(path, lambda part: part.write_bytes(data))


def _content(model: TrainedModel) -> dict[str, Any]:
    """Return the content of a model's file: plain parts as one JSON text, the others as objects."""
    content = {field.name: getattr(model, field.name) for field in fields(TrainedModel)}
    content["signature"] = {name: model.signature[name].tolist() for name in model.signature}
    content["features"] = [str(feature) for feature in model.features]
    content["typicality"] = vars(model.typicality)
    plain = {name: content.pop(name) for name in _JSON_PARTS}
    notes = json.dumps(plain, allow_nan=True)
    return {"format": _FORMAT, "version": MODEL_VERSION, "notes": notes, **content}


@contextmanager
def _without_feature_names(model: TrainedModel) -> Iterator[None]:
    """Take the names of the model's features from its estimators for the time of writing.

    The file has these names once: skops uses a hundred bytes for each. `_model` restores them.
    """
    names = np.asarray(model.features, dtype=object)
    parts = _estimators_with_feature_names(model.estimator)
    repeated = [
        estimator for estimator in parts if np.array_equal(estimator.feature_names_in_, names)
    ]
    try:
        for estimator in repeated:
            estimator.feature_names_in_ = np.empty(0, dtype=object)
        yield
    finally:
        for estimator in repeated:
            estimator.feature_names_in_ = names


def read_model(path: str | Path, trust: Iterable[str] = ()) -> TrainedModel:
    """Read a model that `write_model` has written.

    Parameters
    ----------
    path : path
    trust : iterable of str
        Full names of further types that the file may be made of, beside `permitted_types` and those
        that skops trusts.

    Returns
    -------
    TrainedModel

    Raises
    ------
    InputError
        If the file is damaged, of another program or version, or is made of types that are not
        trusted; the message names them.

    Examples
    --------
    >>> import tempfile
    >>> from xnbflow.models import fit_model
    >>> from xnbflow.sources.acquire import acquire
    >>> from xnbflow.sources.dataset_entry import DatasetEntry
    >>> wine = acquire(DatasetEntry("wine", "bundled", "wine"))
    >>> model = fit_model(wine, {"method": "gaussian_nb"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(model, f"{folder}/wine.skops")
    ...     again = read_model(f"{folder}/wine.skops")
    >>> again.estimator, again.classes
    (GaussianNB(), ['class_0', 'class_1', 'class_2'])
    """
    if not Path(path).is_file():
        msg = f"{path} does not exist, or is not a file; make a model with `xnbflow fit`"
        raise InputError(msg)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); remove the cause and try again"
        raise InputError(msg, file=str(path)) from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            schema = json.loads(archive.read(_SCHEMA))
        _check_header(schema, path)
        trusted = permitted_types() | set(trust)
        unknown = set(_skops().get_untrusted_types(data=data)) - trusted
        if unknown:
            msg = (
                f"{path} is made of types that are not trusted: {listed(sorted(unknown))}. If you "
                "know them and where the file is from, name them to be trusted (--trust)"
            )
            raise InputError(msg)
        model = _model(_skops().loads(data, trusted=sorted(trusted)))
    except (InputError, MemoryError):
        raise
    except Exception as error:
        msg = f"{path} is not a model, or is damaged ({type(error).__name__}: {error})"
        raise InputError(f"{msg}; make or copy it again") from error

    # Refuse a model whose predictions differ from those when it was made.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            predictions = predict_quartiles(model.estimator, model.quartiles, model.features)
        equal = np.allclose(predictions, model.probe, rtol=0, atol=_PROBE_TOLERANCE)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  an estimator of other versions can fail in any way
        equal = False
    if not equal:
        versions = ", ".join(f"{name} {number}" for name, number in model.versions.items())
        msg = (
            f"{path} gives other predictions here than where it was made ({versions}); use these "
            "versions, or fit the model again"
        )
        raise InputError(msg)

    return model


def _estimators_with_feature_names(value: Any) -> Iterator[Any]:
    """Yield an estimator and the estimators in it that keep names of features."""
    parts: Iterable[Any] = ()
    if isinstance(value, BaseEstimator):
        if "feature_names_in_" in vars(value):
            yield value
        parts = vars(value).values()
    elif isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, (list, tuple)):
        parts = value
    for nested in parts:
        yield from _estimators_with_feature_names(nested)


def _check_header(schema: Any, path: str | Path) -> None:
    """Refuse files of other programs and versions by plain values, before objects are created."""
    if _plain_value(schema, "format") != _FORMAT:
        msg = f"{path} is a skops file, but not a model of xnbflow; make one with `xnbflow fit`"
        raise InputError(msg)
    version = _plain_value(schema, "version")
    if version != MODEL_VERSION:
        msg = (
            f"{path} is of format {version!r}, this program reads {MODEL_VERSION}; "
            "use the version of xnbflow that made it, or fit the model again"
        )
        raise InputError(msg)


def _plain_value(schema: Any, key: str) -> Any:
    """Return a JSON value of the top of a schema; None if it has no such value."""
    if schema["__loader__"] != "DictNode":
        return None
    entry = schema.get("content", {}).get(key, {})
    return json.loads(entry["content"]) if entry.get("__loader__") == "JsonNode" else None


def _model(content: dict[str, Any]) -> TrainedModel:
    """Return a model from a file's contents."""
    content |= json.loads(content.pop("notes"))
    content["signature"] = pd.DataFrame(content["signature"])
    content["features"] = np.asarray(content["features"], dtype=str)
    content["typicality"] = Typicality(**content["typicality"])
    model = TrainedModel(**{field.name: content[field.name] for field in fields(TrainedModel)})
    for estimator in _estimators_with_feature_names(model.estimator):
        if not len(estimator.feature_names_in_):
            estimator.feature_names_in_ = np.asarray(model.features, dtype=object)
    return model
