"""Model files in skops' format, without pickle: reading runs no code and checks all types."""

import hashlib
import importlib
import io
import json
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import listed
from xnbflow.data.dataset import refuse_control_characters
from xnbflow.models.permitted_types import FIXED_TYPES, audit_schema, known_types, schema_nodes
from xnbflow.models.trained import TrainedModel, predict_quartiles
from xnbflow.models.typicality import Typicality, typicality_features
from xnbflow.tables.parquet import place_of

#: Version of the format; increase it when older or newer programs cannot read the files.
MODEL_VERSION = 5

#: The name of the format, in the header of a file.
_FORMAT = "xnbflow-model"
#: Parts of the ZIP file beside the arrays: skops' description of the objects, and the digest.
_SCHEMA = "schema.json"
_DIGEST = "digest.json"
#: The plain parts of a model, stored as JSON, with their types.
_JSON_PARTS = {
    "entry": dict,
    "series": dict,
    "symbols": dict,
    "signature": dict,
    "features": list,
    "figures": dict,
    "versions": dict,
}
#: The items on the series that every model has, with their types.
_SERIES_ITEMS = {"name": str, "samples": int, "features": int, "classes": dict}
#: Bytes of the end record of a ZIP file without a comment.
_END_RECORD = 22
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
        If the estimator has an object that can only be restored by a call.
    """
    content = _content(model)
    content["place"] = place_of(path)
    try:
        with _without_feature_names(model):
            members = _members(_skops().dumps(content))
        schema = json.loads(members[_SCHEMA])

        # A file's parts with arrays named 0.npy, 1.npy, ... in the order of their first
        # use. The ids in ``schema``, which is changed, become these numbers. Those of
        # skops are addresses in memory, which differ from run to run. Only arrays keep an
        # id: they are shared, other objects repeated.
        new_names: dict[str, str] = {}
        for node in schema_nodes(schema):
            if node.get("type") != "numpy":
                node.pop("__id__", None)
            else:
                node["file"] = new_names.setdefault(node["file"], f"{len(new_names)}.npy")
                node["__id__"] = int(node["file"].removesuffix(".npy"))
        members = {new_names.get(name, name): data for name, data in members.items()}

        _, refused = audit_schema(schema, members)
    except (TypeError, ValueError, AttributeError) as error:
        refused = {str(error)}
    if refused:
        kind = type(model.estimator).__name__
        msg = f"a skops file cannot keep {kind} ({listed(sorted(refused))}); use another estimator"
        raise InputError(msg)
    members[_SCHEMA] = json.dumps(schema).encode()
    members[_DIGEST] = json.dumps(_digest(members)).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)  # without the time of writing
    write_atomically(path, lambda part: part.write_bytes(packed.getbuffer()))


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
        Full names of further classes that the file may be made of. Those of the registry of
        methods and scikit-learn's estimators are trusted; functions cannot be.

    Returns
    -------
    TrainedModel

    Raises
    ------
    InputError
        If the file is damaged, of another program or version, or is made of types that are not
        trusted; the message names them.
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
        members = _members(data)
        schema = json.loads(members[_SCHEMA])
        _check_header(schema, path)
        if json.loads(members[_DIGEST]) != _digest(members):
            msg = "its content was changed since it was made: its digest differs"
            raise ValueError(msg)
        types = _permitted_types(schema, members, set(trust), path)
        model = _model(_skops().loads(data, trusted=sorted(types | FIXED_TYPES)))
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


def _members(data: bytes) -> dict[str, bytes]:
    """Return the parts of an uncompressed ZIP file without other contents.

    Compressed parts could be larger than the memory. Bytes before the first part or behind the end
    record would belong to another file, which other programs may read instead.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        starts_with_part = min(member.header_offset for member in parts) == 0
        ends_with_record = data[-_END_RECORD:][:4] == b"PK\x05\x06"
        stored = all(member.compress_type == zipfile.ZIP_STORED for member in parts)
        fits = sum(member.file_size for member in parts) <= len(data)
        if not (starts_with_part and ends_with_record and stored and fits):
            msg = "it is not one uncompressed ZIP file"
            raise ValueError(msg)
        if len({member.filename for member in parts}) < len(parts):
            msg = "it has two parts of one name"
            raise ValueError(msg)
        return {member.filename: archive.read(member) for member in parts}


def _digest(members: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of a file's parts and their names."""
    digest = hashlib.sha256()
    for name in sorted(members.keys() - {_DIGEST}):
        digest.update(f"{name}\0{len(members[name])}\0".encode())
        digest.update(members[name])
    return digest.hexdigest()


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
    # A file that was copied in place of another model, beside the tables of that model.
    written_to = _plain_value(schema, "place")
    place = place_of(path)
    is_moved = written_to and place and written_to != place
    if is_moved and Path(path).with_name("signature.parquet").exists():
        original = quoted(written_to, 200)[1:-1]
        msg = f"{path} is a copy of {original}, which belongs to something else"
        raise InputError(f"{msg}; read it there, or move it out of the folder")


def _plain_value(schema: Any, key: str) -> Any:
    """Return a JSON value of the top of a schema; None if it has no such value."""
    if schema["__loader__"] != "DictNode":
        return None
    entry = schema.get("content", {}).get(key, {})
    return json.loads(entry["content"]) if entry.get("__loader__") == "JsonNode" else None


def _permitted_types(
    schema: Any, members: Mapping[str, bytes], trust: set[str], path: str | Path
) -> set[str]:
    """Return the types of a file's objects; refuse types that are not known or trusted."""
    types, refused = audit_schema(schema, members)
    if refused:
        msg = (
            f"{path} names {listed(sorted(refused))}, which could be called when it is read; fit "
            "the model again with another estimator, or do not use the file"
        )
        raise InputError(msg)
    unknown = types - known_types()
    if unknown - trust:
        msg = (
            f"{path} is made of types that are not trusted: {listed(sorted(unknown - trust))}. If "
            "you know them and where the file is from, name them to be trusted (--trust)"
        )
        raise InputError(msg)
    for name in unknown:
        module, _, attribute = name.rpartition(".")
        if not isinstance(getattr(importlib.import_module(module), attribute), type):
            msg = f"{name} of {path} is not a class; only classes can be trusted (--trust)"
            raise InputError(msg)
    return types


def _model(content: dict[str, Any]) -> TrainedModel:
    """Return a model from a file's contents, after a check of its plain parts."""
    content |= json.loads(content.pop("notes"))
    _check_types(content, _JSON_PARTS)
    _check_types(content["series"], _SERIES_ITEMS)
    content["signature"] = pd.DataFrame(content["signature"])
    content["features"] = np.asarray(content["features"], dtype=str)
    content["typicality"] = Typicality(**content["typicality"])
    model = TrainedModel(**{field.name: content[field.name] for field in fields(TrainedModel)})
    for estimator in _estimators_with_feature_names(model.estimator):
        if not len(estimator.feature_names_in_):
            estimator.feature_names_in_ = np.asarray(model.features, dtype=object)
    _check_arrays(model)
    names = (model.series["name"], *model.classes, *model.features, *model.symbols.values())
    refuse_control_characters("it", "name", names)
    repr(model.estimator)  # the representation fails if parameters have other types
    return model


def _check_types(values: dict[str, Any], types: Mapping[str, type]) -> None:
    """Refuse values that are not of their type."""
    for name, expected in types.items():
        if not isinstance(values[name], expected):
            msg = f"its {name} is not of the kind that it has in a model"
            raise TypeError(msg)


def _check_arrays(model: TrainedModel) -> None:
    """Refuse arrays that do not belong to one model, by their shapes and kinds."""
    n_features = len(model.features)
    used = model.used
    typicality = model.typicality
    typicality_shape = (len(typicality_features(used)), len(typicality.held_out))
    arrays = (
        model.quartiles,
        typicality.centres,
        typicality.bandwidths,
        typicality.held_out,
        model.probe,
    )
    if (
        used.dtype.kind != "i"
        or not np.isin(used, np.arange(n_features)).all()
        or any(array.dtype.kind != "f" for array in arrays)
        or model.quartiles.shape != (3, n_features)
        or typicality.centres.shape != typicality_shape
        or typicality.bandwidths.shape != typicality_shape
    ):
        msg = "its arrays are not those of one model"
        raise ValueError(msg)
