"""Small faults of the library, for `benchmarks.mutants`: what they are, drawn and found again."""

import ast
import copy
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

__all__ = ["SOURCE", "Mutant", "draw", "look_up"]

SOURCE = "workflow/src"
#: Functions whose calls are not mutated: no test has to notice what is logged.
LOGGING = {"debug", "info", "warning", "error", "exception", "log", "say"}
#: Operators that replace each other.
PAIRS = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
    (ast.And, ast.Or),
]
#: The operator that replaces each operator.
FLIPPED = {
    **dict(PAIRS),
    **{second: first for first, second in PAIRS},
    ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult,
}


class Fault(NamedTuple):
    """A fault in a syntax tree: ``new`` in place of ``old``."""

    kind: str
    old: ast.AST
    new: ast.AST


class Site(NamedTuple):
    """A fault with the qualified name of its function and (the first line of) its statement."""

    name: str
    statement: str
    fault: Fault


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A fault: ``text`` in place of the bytes ``start`` to ``end`` of a file.

    ``name`` is the qualified name of the function, ``ordinal`` the number of the fault among those
    of the same name, statement and kind. For example, ``n - 1`` for ``n + 1`` in ``share`` has the
    statement ``return k / (n + 1)``, the kind ``arithmetic`` and the text ``(n - 1)``.
    """

    name: str
    statement: str
    kind: str
    ordinal: int
    package: str
    path: str
    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        """What stays the same where code is moved."""
        key = json.dumps([self.name, self.statement, self.kind, self.ordinal])
        return hashlib.sha256(key.encode()).hexdigest()[:12]


def faults(node: ast.AST) -> Iterator[Fault]:
    """Yield the faults of a node itself, not those of the nodes below it."""
    match node:
        case ast.Raise():
            yield Fault("raise", node, ast.Pass())
        case ast.Expr():
            yield Fault("call", node, ast.Pass())
        case ast.If() | ast.While() | ast.IfExp():
            yield Fault("condition", node.test, ast.UnaryOp(ast.Not(), node.test))
        case ast.UnaryOp(op=ast.Not()):
            yield Fault("not", node, node.operand)
        case ast.Constant(value=bool()):
            yield Fault("boolean", node, ast.Constant(not node.value))
        case ast.Constant(value=int() | float()):
            step = -1 if node.value % 2 else 1  # an odd number becomes smaller, an even one larger
            yield Fault("constant", node, ast.Constant(node.value + step))
        case ast.Call(args=[first, second, *rest]) if differ(first, second):
            yield Fault("arguments", node, changed(node, args=[second, first, *rest]))
        case _:
            yield from operators(node)


def operators(node: ast.AST) -> Iterator[Fault]:
    """Yield the faults of operators and slices."""
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                ops = [*node.ops[:i], FLIPPED[type(op)](), *node.ops[i + 1 :]]
                yield Fault("comparison", node, changed(node, ops=ops))
        case ast.BinOp() | ast.AugAssign() if type(node.op) in FLIPPED and not is_text(node):
            yield Fault("arithmetic", node, changed(node, op=FLIPPED[type(node.op)]()))
        case ast.BoolOp():
            yield Fault("boolean", node, changed(node, op=FLIPPED[type(node.op)]()))
        case ast.Slice():
            for bound in filter(None, (node.lower, node.upper)):
                yield Fault("slice", bound, ast.BinOp(bound, ast.Add(), ast.Constant(1)))


def differ(first: ast.expr, second: ast.expr) -> bool:
    """Return whether two arguments can change places."""
    starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
    return not starred and ast.dump(first) != ast.dump(second)


def changed(node: ast.AST, **fields: object) -> ast.AST:
    """Return a node with other values of some fields."""
    new = copy.copy(node)
    vars(new).update(fields)
    return new


def is_text(node) -> bool:
    """Return whether an expression adds or formats texts: its operators are not arithmetic."""
    if isinstance(node, ast.BinOp):
        return is_text(node.left) or is_text(node.right)
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


def children(node: ast.AST) -> list[ast.AST | None]:
    """Return what is mutated below a node: no types, decorators, messages, or ``__all__``."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.args.defaults, *node.args.kw_defaults, *node.body]
        case ast.ClassDef():
            return node.body
        case ast.AnnAssign():
            return [node.value]
        case ast.Raise() | ast.JoinedStr() | ast.Assign(targets=[ast.Name(id="__all__" | "msg")]):
            return []
    return list(ast.iter_child_nodes(node))


def is_silent(node: ast.AST | None) -> bool:
    """Return whether a statement imports, documents, logs, or is for type checkers only."""
    if node is None:
        return True
    if isinstance(node, ast.If):
        words = set(re.findall(r"\w+", ast.unparse(node.test)))
        return not words.isdisjoint({"TYPE_CHECKING", "__name__"})
    if not isinstance(node, ast.Expr):
        return False
    function = getattr(node.value, "func", None)
    if not function:  # no call: a docstring, for example
        return True
    return getattr(function, "attr", getattr(function, "id", "")) in LOGGING


def sites(node: ast.AST, scope: tuple[str, ...] = (), statement: str = "") -> Iterator[Site]:
    """Yield all faults of a node and of those below it.

    ``scope`` has the names of the classes and functions around the node, ``statement`` is the
    statement that contains it.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        scope = (*scope, node.name)
        statement = "def"
    elif isinstance(node, ast.stmt):
        statement = ast.unparse(node)
        if hasattr(node, "body"):
            statement = statement.partition("\n")[0]
    for fault in faults(node):
        yield Site(".".join(scope), statement, fault)
    for child in children(node):
        if not is_silent(child):
            yield from sites(child, scope, statement)


def package_of(path: Path, root: Path) -> str:
    """Return the package of a module of the library, such as ``density``."""
    inner = path.relative_to(root / SOURCE).parts[1:]
    return inner[0] if len(inner) > 1 else "(modules)"


def mutants_of_file(root: Path, path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file, in the order of its syntax tree."""
    data = path.read_bytes()
    line_starts = [0, *(match.end() for match in re.finditer(rb"\n", data))]
    counts: Counter[tuple[str, str, str]] = Counter()
    for name, statement, fault in sites(ast.parse(data)):
        old = fault.old
        text = ast.unparse(fault.new)
        if not isinstance(fault.new, ast.stmt):
            text = f"({text})"
        yield Mutant(
            name=name,
            statement=statement,
            kind=fault.kind,
            ordinal=counts[name, statement, fault.kind],
            package=package_of(path, root),
            path=str(path.relative_to(root)),
            start=line_starts[old.lineno - 1] + old.col_offset,
            end=line_starts[old.end_lineno - 1] + old.end_col_offset,
            text=text,
        )
        counts[name, statement, fault.kind] += 1


def all_mutants(root: Path) -> list[Mutant]:
    """Return every mutant of a tree whose function and statement are in one file only."""
    mutants: list[Mutant] = []
    files = defaultdict(set)
    for path in sorted((root / SOURCE).rglob("*.py")):
        for mutant in mutants_of_file(root, path):
            mutants.append(mutant)
            files[mutant.name, mutant.statement].add(path)
    return [mutant for mutant in mutants if len(files[mutant.name, mutant.statement]) == 1]


def draw(root: Path, number: int, seed: int) -> list[Mutant]:
    """Draw mutants of different statements, of each package by its share of the lines."""
    rng = random.Random(seed)
    statements: dict[str, dict[tuple, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in all_mutants(root):
        statements[mutant.package][mutant.name, mutant.statement].append(mutant)
    drawn = []
    for package, n_statements in apportion(root, sorted(statements), number).items():
        keys = rng.sample(sorted(statements[package]), n_statements)
        drawn.extend((package, key) for key in keys)
    return [rng.choice(statements[package][key]) for package, key in drawn]


def apportion(root: Path, packages: list[str], number: int) -> dict[str, int]:
    """Divide a number among packages by their lines, by the method of largest remainders."""
    lines: Counter[str] = Counter()
    for path in (root / SOURCE).rglob("*.py"):
        lines[package_of(path, root)] += path.read_bytes().count(b"\n")
    total = sum(lines[package] for package in packages)
    shares = {package: number * lines[package] / total for package in packages}
    seats = {package: int(share) for package, share in shares.items()}
    by_remainder = sorted(shares, key=lambda package: seats[package] - shares[package])
    for package in by_remainder[: number - sum(seats.values())]:
        seats[package] += 1
    return seats


def look_up(root: Path, drawn: list[Mutant]) -> dict[str, Mutant]:
    """Return those mutants of a list that a tree has, where they are now, by their ids in the list.

    Where no function has the name any more, a statement that occurs once in the tree is used.
    """
    alike: dict[tuple, list[Mutant]] = defaultdict(list)
    for mutant in all_mutants(root):
        alike[mutant.statement, mutant.kind, mutant.ordinal].append(mutant)
    present = {}
    for mutants in alike.values():
        present |= {mutant.id: mutant for mutant in mutants}
    names = {mutant.name for mutant in present.values()}
    for mutant in drawn:
        candidates = alike[mutant.statement, mutant.kind, mutant.ordinal]
        if mutant.name not in names and len(candidates) == 1:
            present[mutant.id] = candidates[0]
    found_again = {}
    for mutant in drawn:
        if mutant.id in present:
            found_again[mutant.id] = replace(present[mutant.id], package=mutant.package)
    return found_again
