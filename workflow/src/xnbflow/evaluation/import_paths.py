"""Whether the import path of a class leads to one, as far as its module's source shows.

The configuration is checked whenever the Snakefile is read. To import scikit-learn there would take
longer than all the rest, so nothing is imported. What a source does not show is left to the job.
"""

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from xnbflow.data.errors import known_names

__all__ = ["fault_of_path"]


def fault_of_path(path: str) -> str:
    """Say why an import path leads to no class; empty if it may.

    Parameters
    ----------
    path : str
        Say ``sklearn.svm.LinearSVC``.

    Examples
    --------
    >>> fault_of_path("sklearn.svm.LinearSVC")
    ''
    >>> fault_of_path("sklearn.svm.LinearSVX")
    "sklearn.svm has no LinearSVX; did you mean 'LinearSVR'?"
    """
    module, _, name = path.rpartition(".")
    if not all(part.isidentifier() for part in path.split(".")):
        return f"{path} is not the import path of a class"
    if find_spec(module.partition(".")[0]) is None and module.partition(".")[0] == "sklearn":
        return ""  # it is in the environments of jobs
    file = _file(module)
    if file is None:
        return f"there is no module {module}"
    names = _names(file)
    if name in names or "__getattr__" in names or "*" in names or _file(f"{module}.{name}"):
        return ""
    near = known_names(name, sorted(each for each in names if each[0] != "_"))
    return f"{module} has no {name}" + (f"; {near}" if near.startswith("did") else "")


def _file(module: str) -> Path | None:
    """Return the file of a module's source; None where there is none."""
    package, _, rest = module.partition(".")
    spec = find_spec(package)  # of a package alone, so that nothing runs
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin)
    if origin.name != "__init__.py":
        return None if rest else origin
    place = origin.parent.joinpath(*rest.split(".")) if rest else origin.parent
    choices = [place / "__init__.py", place.with_suffix(".py")]
    return next((each for each in choices if each.is_file()), None)


@cache
def _names(file: Path) -> frozenset[str]:
    """Return every name that a file defines, assigns or imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return frozenset(found)
