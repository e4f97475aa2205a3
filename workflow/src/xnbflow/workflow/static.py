"""What a class is, seen from its source: nothing of it is imported, let alone called.

The configuration is checked whenever the Snakefile is read. To import scikit-learn there would take
longer than all the rest, and importing is running. What a source does not show is left to the job.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

__all__ = ["ClassSource", "find_class", "module_file", "module_names"]

#: Classes and modules that lead from a name to another are followed so far.
_DEEPEST = 12


@dataclass(frozen=True)
class ClassSource:
    """A class as its source and those of its bases show it.

    Attributes
    ----------
    methods : frozenset of str
        Names of methods, those of the bases included.
    parameters : tuple of str or None
        Parameters of ``__init__``; None where it takes any.
    complete : bool
        Whether every base could be found.
    """

    methods: frozenset[str]
    parameters: tuple[str, ...] | None
    complete: bool


@cache
def module_file(module: str) -> Path | None:
    """Return the file of a module's source; None where there is none.

    Examples
    --------
    >>> module_file("xnbflow.naive_bayes").name
    '__init__.py'
    >>> module_file("xnbflow.no_such_module")
    """
    package, _, rest = module.partition(".")
    spec = PathFinder.find_spec(package) or find_spec(package)  # a package alone: nothing runs
    if spec is None or not spec.origin:
        return None
    if not spec.submodule_search_locations:
        return None if rest or not spec.origin.endswith(".py") else Path(spec.origin)
    for folder in spec.submodule_search_locations:
        place = Path(folder, *rest.split(".")) if rest else Path(folder)
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file() and (rest or path.name == "__init__.py"):
                return path
    return None


def module_names(module: str) -> frozenset[str]:
    """Return the public names that a module's source shows, for a suggestion."""
    path = module_file(module)
    return frozenset(name for name in _definitions(path) if name[0] != "_") if path else frozenset()


def find_class(path: str) -> ClassSource | str:
    """Return a class by its import path, or say in words why there is none.

    Parameters
    ----------
    path : str
        Say ``sklearn.svm.LinearSVC``.

    Examples
    --------
    >>> find_class("sklearn.svm.LinearSVC").parameters[:2]
    ('penalty', 'loss')
    >>> find_class("sklearn.svm.LinearSVX")
    'sklearn.svm has no LinearSVX'
    """
    module, _, name = path.rpartition(".")
    if not module or not all(part.isidentifier() for part in path.split(".")):
        return f"{path} is not the import path of a class"
    file = module_file(module)
    if file is None:
        return f"there is no module {module}"
    found = _resolve(module, file, name, 0)
    if isinstance(found, str):  # hidden
        return ClassSource(frozenset(), None, complete=False)
    if found is None:
        return f"{module} has no {name}"
    home, source, node = found
    return (
        _described(home, source, node, 0)
        if isinstance(node, ast.ClassDef)
        else f"{path} is no class"
    )


_Found = tuple[str, Path, ast.AST]
_Parameters = tuple[str, ...] | None


def _described(module: str, file: Path, node: ast.ClassDef, depth: int) -> ClassSource:
    methods: set[str] = set()
    parameters: _Parameters = ()
    complete = True
    own = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    methods.update(own)
    for base in reversed(node.bases):
        one = _base(module, file, base, depth)
        if one is None:
            complete = False
        else:
            methods |= one.methods
            complete &= one.complete
            parameters = one.parameters if "__init__" in one.methods else parameters
    if "__init__" in own:
        parameters = _parameters(own["__init__"].args)
    elif not complete and "__init__" not in methods:
        parameters = None
    return ClassSource(frozenset(methods), parameters, complete)


def _parameters(arguments: ast.arguments) -> _Parameters:
    if arguments.kwarg:
        return None
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return tuple(each.arg for each in named[1:])


def _base(module: str, file: Path, base: ast.expr, depth: int) -> ClassSource | None:
    """Return a base class; None where its source cannot be found."""
    name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
    if name in {"object", "ABC", "abc.ABC", "Protocol", "Generic"}:
        return ClassSource(frozenset(), (), complete=True)
    if "." in name or depth > _DEEPEST:
        return None
    found = _resolve(module, file, name, depth)
    if found is None or isinstance(found, str):
        return None
    home, source, node = found
    return _described(home, source, node, depth + 1) if isinstance(node, ast.ClassDef) else None


def _resolve(module: str, file: Path, name: str, depth: int) -> _Found | str | None:
    """Return where a name of a module is defined; "hidden" if the source does not tell."""
    if depth > _DEEPEST:
        return "hidden"
    definitions = _definitions(file)
    if name not in definitions:
        submodule = module_file(f"{module}.{name}")
        if submodule:
            return f"{module}.{name}", submodule, ast.Module([], [])
        return "hidden" if "__getattr__" in definitions or "*" in definitions else None
    node = definitions[name]
    if not isinstance(node, ast.ImportFrom):
        defined = isinstance(node, (ast.ClassDef, ast.FunctionDef))
        return (module, file, node) if defined else "hidden"
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for _ in range(node.level - 1):
        package = package.rpartition(".")[0]
    home = ".".join(filter(None, [package if node.level else "", node.module]))
    original = next(each.name for each in node.names if (each.asname or each.name) == name)
    path = module_file(home)
    return _resolve(home, path, original, depth + 1) if path else "hidden"


@cache
def _definitions(file: Path) -> dict[str, ast.AST]:
    """Return what each name at a file's top level stands for; those in try and if, too."""
    found: dict[str, ast.AST] = {}
    for node in _statements(ast.parse(file.read_bytes()).body):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: node for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.partition(".")[0]: node for alias in node.names}
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each for target in targets for each in ast.walk(target)]
            found |= {each.id: node for each in names if isinstance(each, ast.Name)}
    return found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        for block in ("body", "orelse", "finalbody"):
            if isinstance(node, (ast.If, ast.Try, ast.With)):
                yield from _statements(getattr(node, block, []))
        for handler in getattr(node, "handlers", []):
            yield from _statements(handler.body)
