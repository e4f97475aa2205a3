"""Permitted types of a skops file: a closed list, checked before any object is created."""

import io
import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from sklearn.utils import all_estimators

from xnbflow.evaluation.methods import known_methods

#: The version of skops' format that is described here; files of others would get other loaders.
_PROTOCOL = 2
#: Deeper nesting is refused, since skops reads a schema by recursion.
_DEEPEST = 150

_NUMPY_SCALARS = {
    "numpy.bool",
    "numpy.bool_",
    "numpy.str_",
    "numpy.float16",
    "numpy.float32",
    "numpy.float64",
    "numpy.int8",
    "numpy.int16",
    "numpy.int32",
    "numpy.int64",
    "numpy.uint8",
    "numpy.uint16",
    "numpy.uint32",
    "numpy.uint64",
}
_PYTHON_SCALARS = {"builtins.bool", "builtins.int", "builtins.float", "builtins.str"}

#: The kinds of nodes and the types of each. Only ``ObjectNode`` and ``TreeNode`` have others. No
#: kind that calls something is here: no methods, partial functions, or constructors by name.
_KINDS = {
    "DictNode": {"builtins.dict"},
    "DTypeNode": {"numpy.dtype"},
    "FunctionNode": {"sklearn.feature_selection._univariate_selection.f_classif"},
    "JsonNode": {"builtins.str"},
    "ListNode": {"builtins.list"},
    "LossNode": {
        "sklearn.linear_model._sgd_fast.EpsilonInsensitive",
        "sklearn.linear_model._sgd_fast.Hinge",
        "sklearn.linear_model._sgd_fast.ModifiedHuber",
        "sklearn.linear_model._sgd_fast.SquaredEpsilonInsensitive",
        "sklearn.linear_model._sgd_fast.SquaredHinge",
        "sklearn._loss._loss.CyExponentialLoss",
        "sklearn._loss._loss.CyHalfBinomialLoss",
        "sklearn._loss._loss.CyHalfMultinomialLoss",
        "sklearn._loss._loss.CyHalfSquaredError",
    },
    "MaskedArrayNode": {"numpy.ma.MaskedArray"},
    "NdArrayNode": {"numpy.ndarray", *_NUMPY_SCALARS},
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
    "SetNode": {"builtins.set"},
    "SliceNode": {"builtins.slice"},
    "TupleNode": {"builtins.tuple"},
    "TypeNode": _NUMPY_SCALARS | _PYTHON_SCALARS,
}
#: The types of all kinds but objects and trees.
FIXED_TYPES = frozenset().union(*_KINDS.values())

#: Trees index their nodes without a check of bounds: they are read only if they are trusted.
_TREE = "sklearn.tree._tree.Tree"
#: Estimators that can open files, named by the columns of the table to predict.
_FILE_READERS = {"CountVectorizer", "HashingVectorizer", "TfidfVectorizer"}
#: Classes that estimators hold as their state. Instances get their attributes; none is called.
_STATES = {
    "xnbflow.density.standard.StandardUnits",
    "xnbflow.density.borrowed.BorrowedShape",
    "xnbflow.density.families.gaussian.Gaussian",
    "xnbflow.density.families.kernel.Kernel",
    "xnbflow.density.families.multivariate_gaussian.MultivariateGaussian",
    "xnbflow.naive_bayes.evidence.ClassDensities",
    "xnbflow.naive_bayes.independent.ColumnGroup",
    "sklearn._loss.link.HalfLogitLink",
    "sklearn._loss.link.IdentityLink",
    "sklearn._loss.link.Interval",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.link.MultinomialLogit",
    "sklearn._loss.loss.ExponentialLoss",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn._loss.loss.HalfMultinomialLoss",
    "sklearn._loss.loss.HalfSquaredError",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.multiclass._ConstantPredictor",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
}
#: A mapping with one of these keys may be read as a node.
_NODE_KEYS = {"__class__", "__id__", "__loader__", "__module__"}


@cache
def known_types() -> frozenset[str]:
    """Return the classes that objects may be of: the registry's, scikit-learn's, their states."""
    registered: set[str] = set()
    for method in known_methods().values():
        registered |= {method.estimator, *method.states}
    public = set()
    for name, estimator_class in all_estimators():
        if name not in _FILE_READERS:
            public.add(f"{estimator_class.__module__}.{name}")
    return frozenset(registered | public | _STATES)


def schema_nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping of a schema that skops could read as a node; refuse deep nesting."""
    waiting = [(schema, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            msg = f"its schema is nested more than {_DEEPEST} deep"
            raise ValueError(msg)
        if isinstance(value, dict):
            if not _NODE_KEYS.isdisjoint(value):
                yield value
            waiting.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            waiting.extend((item, depth + 1) for item in value)


def audit_schema(schema: Any, members: Mapping[str, bytes]) -> tuple[set[str], set[str]]:
    """Return the types of a schema's objects, and those of a kind or type that is never read.

    ``members`` are the file's parts by name, its arrays among them. The first set, full names of
    classes, is to be compared with `known_types`. Parts that skops would not write are a
    `ValueError`: only arrays have ids, since skops replaces a node by another one with its id.
    """
    if schema.get("protocol") != _PROTOCOL:
        msg = f"it is of protocol {schema.get('protocol')!r} of skops, not {_PROTOCOL}"
        raise ValueError(msg)
    file_size = sum(map(len, members.values()))
    for name, data in members.items():
        if name.endswith(".npy"):
            _check_array(name, data, file_size)
    types = set()
    refused = set()
    # Nodes of objects name a class of any package, and are listed for the caller to compare; nodes
    # of other kinds (arrays, dictionaries, ...) may have only the types that belong to their kind.
    for node in schema_nodes(schema):
        kind: Any = node.get("__loader__")
        module = node.get("__module__")
        class_name = node.get("__class__")
        if not all(isinstance(text, str) for text in (kind, module, class_name)):
            msg = "a node of its schema has no kind or type"
            raise ValueError(msg)
        type_name = f"{module}.{class_name}"
        if kind == "ObjectNode" or (kind, type_name) == ("TreeNode", _TREE):
            types.add(type_name)
        elif type_name not in _KINDS.get(kind, ()):
            refused.add(f"{type_name} ({kind})")
        elif kind == "DictNode":
            # Refuse keys of a type that is computed: skops calls the type of each key.
            key_types = node["key_types"]
            is_list = key_types["__loader__"] == "ListNode"
            if not is_list or any(key["__loader__"] != "TypeNode" for key in key_types["content"]):
                msg = "a mapping of its schema has keys without a plain type"
                raise ValueError(msg)

        # Refuse an id unless it is that of the array in whose part it is: each part is
        # read once.
        stored = node["__loader__"] == "NdArrayNode" and node["type"] == "numpy"
        number = node.get("__id__")
        if stored and (type(number) is not int or node["file"] != f"{number}.npy"):
            msg = "an array of its schema has another name than its part"
            raise ValueError(msg)
        if (stored and node["file"] not in members) or (not stored and "__id__" in node):
            msg = "a node of its schema refers to nothing that it may"
            raise ValueError(msg)

    return types, refused


def _check_array(name: str, data: bytes, file_size: int) -> None:
    """Refuse an array that declares another size than is stored, or holds objects.

    No dimension is above the bytes of the whole file: an array of ``(10**18, 0)`` stores nothing,
    but code that loops over its rows would not end.
    """
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, _, dtype = read_header(stream)
    has_plain_items = dtype.itemsize > 0 and not dtype.hasobject
    has_plain_shape = all(0 <= length <= file_size for length in shape)
    size = math.prod(shape) * dtype.itemsize
    if not (has_plain_items and has_plain_shape and size == len(data) - stream.tell()):
        msg = f"its part {name} declares another array than it stores"
        raise ValueError(msg)
