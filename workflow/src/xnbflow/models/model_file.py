"""Model files in skops' format, without pickle: reading runs no code and checks all types."""

import glob
import hashlib
import importlib
import io
import json
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping
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
from xnbflow.models.permitted_types import FIXED_TYPES, audited, known_types, nodes
from xnbflow.models.recalibration import RECALIBRATION
from xnbflow.models.trained import TrainedModel, probed
from xnbflow.models.typicality import Typicality, features_to_look_at
from xnbflow.tables.parquet import place_of

#: Version of the format; increase it when older or newer programs cannot read the files.
FORMAT_VERSION = 4

_FORMAT = "xnbflow-model"
_SCHEMA, _DIGEST = "schema.json", "digest.json"
#: The plain parts of a model, stored as JSON, and the required items on the series.
_NOTES = {
    "entry": dict, "series": dict, "symbols": dict, "signature": dict, "features": list,
    "figures": dict, "versions": dict,
}  # fmt: skip
_SERIES = {"name": str, "samples": int, "features": int, "classes": dict}


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
    content = {field.name: getattr(model, field.name) for field in fields(TrainedModel)}
    content["signature"] = {name: model.signature[name].tolist() for name in model.signature}
    content["features"] = [str(feature) for feature in model.features]
    content["typicality"] = vars(model.typicality)
    notes = json.dumps({name: content.pop(name) for name in _NOTES}, allow_nan=True)
    whole = {"format": _FORMAT, "version": FORMAT_VERSION, "notes": notes, **content}
    whole["place"] = place_of(path)
    names = np.asarray(model.features, dtype=object)
    parts = _with_names(model.estimator)
    repeated = [part for part in parts if np.array_equal(part.feature_names_in_, names)]
    try:
        for part in repeated:  # skops takes a hundred bytes for each name
            part.feature_names_in_ = np.empty(0, dtype=object)
        members = _members(_skops().dumps(whole))
        schema = json.loads(members[_SCHEMA])
        order: dict[str, str] = {}  # ids are places in memory, which differ from run to run
        for node in nodes(schema):
            if node.get("type") != "numpy":  # arrays are shared, other objects repeated
                node.pop("__id__", None)
            else:
                node["file"] = order.setdefault(node["file"], f"{len(order)}.npy")
                node["__id__"] = int(node["file"].removesuffix(".npy"))
        members = {order.get(name, name): data for name, data in members.items()}
        _, refused = audited(schema, members)
    except (TypeError, ValueError, AttributeError) as error:
        refused = {str(error)}
    finally:
        for part in repeated:
            part.feature_names_in_ = names
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
        types = _permitted(schema, members, set(trust), path)
        model = _model(_skops().loads(data, trusted=sorted(types | FIXED_TYPES)))
    except (InputError, MemoryError):
        raise
    except Exception as error:
        msg = f"{path} is not a model, or is damaged ({type(error).__name__}: {error})"
        raise InputError(f"{msg}; make or copy it again") from error
    _refuse_changed(model, path)
    return model


def _with_names(value: Any) -> Iterator[Any]:
    """Yield an estimator and the estimators in it that keep names of features."""
    parts: Iterable[Any] = value if isinstance(value, (list, tuple)) else ()
    if isinstance(value, BaseEstimator):
        if "feature_names_in_" in vars(value):
            yield value
        parts = vars(value).values()
    elif isinstance(value, dict):
        parts = value.values()
    for part in parts:
        yield from _with_names(part)


def _members(data: bytes) -> dict[str, bytes]:
    """Return the parts of an uncompressed ZIP file without other contents."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        alone = min(part.header_offset for part in parts) == 0 and data[-22:-18] == b"PK\x05\x06"
        stored = all(part.compress_type == zipfile.ZIP_STORED for part in parts)
        if not alone or not stored or sum(part.file_size for part in parts) > len(data):
            msg = "it is not one uncompressed ZIP file"
            raise ValueError(msg)
        if len({part.filename for part in parts}) < len(parts):
            msg = "it has two parts of one name"
            raise ValueError(msg)
        return {part.filename: archive.read(part) for part in parts}


def _digest(members: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of a file's parts and their names."""
    digest = hashlib.sha256()
    for name in sorted(members.keys() - {_DIGEST}):
        digest.update(f"{name}\0{len(members[name])}\0".encode())
        digest.update(members[name])
    return digest.hexdigest()


def _check_header(schema: Any, path: str | Path) -> None:
    """Refuse files of other programs and versions by plain values, before objects are created."""
    form, version = (_plain(schema, key) for key in ("format", "version"))
    if form != _FORMAT:
        msg = f"{path} is a skops file, but not a model of xnbflow; make one with `xnbflow fit`"
        raise InputError(msg)
    if version != FORMAT_VERSION:
        msg = (
            f"{path} is of format {version!r}, this program reads {FORMAT_VERSION}; "
            "use the version of xnbflow that made it, or fit the model again"
        )
        raise InputError(msg)
    own, place = _plain(schema, "place"), place_of(path)
    tables = Path(path).parent.glob(f"{glob.escape(Path(path).stem)}.*.parquet")
    if own and place and own != place and any(tables):  # another model is at this path now
        msg = f"{path} is a copy of {quoted(own, 200)[1:-1]}, which belongs to something else"
        raise InputError(f"{msg}; read it there, or move it out of the folder")


def _plain(schema: Any, key: str) -> Any:
    """Return a JSON value of the top of a schema; None if it has no such value."""
    entry = schema.get("content", {}).get(key, {}) if schema["__loader__"] == "DictNode" else {}
    return json.loads(entry["content"]) if entry.get("__loader__") == "JsonNode" else None


def _permitted(
    schema: Any, members: Mapping[str, bytes], trust: set[str], path: str | Path
) -> set[str]:
    """Return the types of a file's objects; refuse those that are not known or trusted."""
    types, refused = audited(schema, members)
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
    _check_kinds(content, _NOTES)
    _check_kinds(content["series"], _SERIES)
    content["signature"] = pd.DataFrame(content["signature"])
    content["features"] = np.asarray(content["features"], dtype=str)
    content["typicality"] = Typicality(**content["typicality"])
    model = TrainedModel(**{field.name: content[field.name] for field in fields(TrainedModel)})
    for part in _with_names(model.estimator):
        if not len(part.feature_names_in_):
            part.feature_names_in_ = np.asarray(model.features, dtype=object)
    _check_arrays(model)
    named = (model.series["name"], *model.classes, *model.features, *model.symbols.values())
    refuse_control_characters("it", "name", named)
    repr(model.estimator)  # the representation fails if parameters have other types
    return model


def _check_arrays(model: TrainedModel) -> None:
    """Refuse arrays that do not belong to one model, by their shapes and kinds."""
    n, used, seen = len(model.features), model.used, model.typicality
    shape = (len(features_to_look_at(used)), len(seen.held_out))
    numbers = (model.quartiles, seen.centres, seen.bandwidths, seen.held_out, model.probe)
    if (
        used.dtype.kind != "i"
        or not np.isin(used, np.arange(n)).all()
        or any(array.dtype.kind != "f" for array in numbers)
        or model.quartiles.shape != (3, n)
        or not seen.centres.shape == seen.bandwidths.shape == shape
    ):
        msg = "its arrays are not those of one model"
        raise ValueError(msg)
    if found := model.series.get(RECALIBRATION):
        offsets = np.array([found["slope"], *found["intercept"]])
        if offsets.shape != (1 + len(model.classes),) or not np.isfinite(offsets).all():
            msg = "its slope and intercepts are not those of its classes"
            raise ValueError(msg)


def _check_kinds(values: dict[str, Any], kinds: Mapping[str, type]) -> None:
    for name, kind in kinds.items():
        if not isinstance(values[name], kind):
            msg = f"its {name} is not of the kind that it has in a model"
            raise TypeError(msg)


def _refuse_changed(model: TrainedModel, path: str | Path) -> None:
    """Refuse a model whose predictions differ from those when it was made."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = probed(model.estimator, model.quartiles, model.features)
        same = np.allclose(found, model.probe, rtol=0, atol=1e-6)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  whatever an estimator of other versions runs into
        same = False
    if not same:
        made = ", ".join(f"{name} {number}" for name, number in model.versions.items())
        msg = (
            f"{path} gives other predictions here than where it was made ({made}); use these "
            "versions, or fit the model again"
        )
        raise InputError(msg)
