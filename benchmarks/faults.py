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

__all__ = ["SOURCE", "Mutant", "draw", "look_up"]

SOURCE = "workflow/src"
LOGGING = {"debug", "info", "warning", "error", "exception", "log", "say"}
PAIRS = [(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)]
PAIRS += [(ast.In, ast.NotIn), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or)]
FLIPPED = dict(PAIRS) | {b: a for a, b in PAIRS} | {ast.FloorDiv: ast.Div, ast.Pow: ast.Mult}


@dataclass(frozen=True)
class Mutant:
    """A fault: ``text`` in place of the bytes ``start`` to ``end`` of a file."""

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


def faults(node: ast.AST) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Yield the faults of a node itself: kind, what is replaced, and by what."""
    match node:
        case ast.Raise():
            yield "raise", node, ast.Pass()
        case ast.Expr():
            yield "call", node, ast.Pass()
        case ast.If() | ast.While() | ast.IfExp():
            yield "condition", node.test, ast.UnaryOp(ast.Not(), node.test)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node, node.operand
        case ast.Constant(value=bool()):
            yield "boolean", node, ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield "constant", node, ast.Constant(node.value + (-1 if node.value % 2 else 1))
        case ast.Call(args=[first, second, *rest]) if differ(first, second):
            yield "arguments", node, changed(node, args=[second, first, *rest])
        case _:
            yield from operators(node)


def operators(node: ast.AST) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Yield the faults of operators and slices."""
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                ops = [*node.ops[:i], FLIPPED[type(op)](), *node.ops[i + 1 :]]
                yield "comparison", node, changed(node, ops=ops)
        case ast.BinOp() | ast.AugAssign() if type(node.op) in FLIPPED and not is_text(node):
            yield "arithmetic", node, changed(node, op=FLIPPED[type(node.op)]())
        case ast.BoolOp():
            yield "boolean", node, changed(node, op=FLIPPED[type(node.op)]())
        case ast.Slice():
            for bound in filter(None, (node.lower, node.upper)):
                yield "slice", bound, ast.BinOp(bound, ast.Add(), ast.Constant(1))


def differ(first: ast.expr, second: ast.expr) -> bool:
    """Tell whether two arguments can change places."""
    starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
    return not starred and ast.dump(first) != ast.dump(second)


def changed(node: ast.AST, **fields: object) -> ast.AST:
    """Return a node with other values of some fields."""
    new = copy.copy(node)
    vars(new).update(fields)
    return new


def is_text(node) -> bool:
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
    """Tell whether a statement imports, documents, logs, or is for type checkers only."""
    if isinstance(node, ast.If):
        return bool({"TYPE_CHECKING", "__name__"} & set(re.findall(r"\w+", ast.unparse(node.test))))
    called = getattr(getattr(node, "value", None), "func", None)
    logs = getattr(called, "attr", getattr(called, "id", "")) in LOGGING or not called
    return node is None or (isinstance(node, ast.Expr) and logs)


def sites(node: ast.AST, scope: tuple[str, ...] = (), statement: str = "") -> Iterator[tuple]:
    """Yield all faults from a node on: name, statement, kind, what is replaced, and by what."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        scope, statement = (*scope, node.name), "def"
    elif isinstance(node, ast.stmt):
        whole = ast.unparse(node)  # of a compound statement the first line
        statement = whole.partition("\n")[0] if hasattr(node, "body") else whole
    for fault in faults(node):
        yield (".".join(scope), statement, *fault)
    for child in children(node):
        if not is_silent(child):
            yield from sites(child, scope, statement)


def package_of(path: Path, root: Path) -> str:
    inner = path.relative_to(root / SOURCE).parts[1:]
    return inner[0] if len(inner) > 1 else "(modules)"


def all_mutants(root: Path) -> list[Mutant]:
    """Return every mutant of a tree whose function and statement are in one file only."""
    mutants, files = [], defaultdict(set)
    for path in sorted((root / SOURCE).rglob("*.py")):
        data = path.read_bytes()
        lines = [0, *(match.end() for match in re.finditer(rb"\n", data))]
        counts: Counter[tuple] = Counter()
        for name, statement, kind, node, new in sites(ast.parse(data)):
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[node.end_lineno - 1] + node.end_col_offset
            text = ast.unparse(new) if isinstance(new, ast.stmt) else f"({ast.unparse(new)})"
            where = (package_of(path, root), str(path.relative_to(root)), start, end, text)
            mutants.append(Mutant(name, statement, kind, counts[name, statement, kind], *where))
            counts[name, statement, kind] += 1
            files[name, statement].add(path)
    return [mutant for mutant in mutants if len(files[mutant.name, mutant.statement]) == 1]


def draw(root: Path, number: int, seed: int) -> list[Mutant]:
    """Draw mutants of different statements, of each package by its share of the lines."""
    rng = random.Random(seed)
    statements: dict[str, dict[tuple, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for m in all_mutants(root):
        statements[m.package][m.name, m.statement].append(m)
    lines: Counter[str] = Counter()
    for path in (root / SOURCE).rglob("*.py"):
        lines[package_of(path, root)] += path.read_bytes().count(b"\n")
    share = {p: number * lines[p] / sum(map(lines.get, statements)) for p in sorted(statements)}
    whole = {p: int(part) for p, part in share.items()}
    for p in sorted(share, key=lambda p: whole[p] - share[p])[: number - sum(whole.values())]:
        whole[p] += 1
    keys = [(p, key) for p in whole for key in rng.sample(sorted(statements[p]), whole[p])]
    return [rng.choice(statements[p][key]) for p, key in keys]


def look_up(root: Path, drawn: list[Mutant]) -> dict[str, Mutant]:
    """Return those mutants of a list that a tree has, where they are now, by their ids in the list.

    Where no function has the name any more, a statement that occurs once in the tree is used.
    """
    alike: dict[tuple, list[Mutant]] = defaultdict(list)
    for m in all_mutants(root):
        alike[m.statement, m.kind, m.ordinal].append(m)
    here = {m.id: m for same in alike.values() for m in same}
    names = {m.name for m in here.values()}
    for m in drawn:
        same = alike[m.statement, m.kind, m.ordinal]
        if m.name not in names and len(same) == 1:
            here[m.id] = same[0]
    return {m.id: replace(here[m.id], package=m.package) for m in drawn if m.id in here}
