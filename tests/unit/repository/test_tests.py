"""The tests themselves: they use public names, and tables have the sentences that they expect."""

import ast
import re

import pytest
from expected_texts import TESTS

PROGRAMS = {path: ast.parse(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}

#: A private name, such as that of an attribute, or of one of a module.
PRIVATE = re.compile(r"(\w+\.)*_[a-zA-Z]\w*")
#: Functions that take the name of an attribute as a text.
BY_NAME = {"setattr", "delattr", "getattr", "hasattr"}
#: Private names that Python's own documentation describes.
DOCUMENTED = {"os._exit"}

#: Test functions that contain a sentence, most of them names, markup and programs in other
#: languages. Lower this number when it falls; a new sentence belongs in the table of its folder.
WITH_SENTENCES = 18
#: Words of a sentence at least, each with a letter.
WORDS = 7
#: The content of a file, or an expression in pandas or another language.
RAW = re.compile(r"[\t\n]|==|\bimport ")


def private_names(program):
    """Return the private names of other modules and objects that a program uses, with their lines.

    An object may use its private attributes (``self``).
    """
    names = []
    for node in ast.walk(program):
        if isinstance(node, ast.Attribute) and PRIVATE.fullmatch(node.attr):
            name = ast.unparse(node)
            if ast.unparse(node.value) not in ("self", "cls") and name not in DOCUMENTED:
                names.append((node.lineno, name))
        elif isinstance(node, ast.ImportFrom):
            imported = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [(node.lineno, name) for name in imported if PRIVATE.fullmatch(name)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in BY_NAME:
            for argument in node.args:
                text = argument.value if isinstance(argument, ast.Constant) else None
                if isinstance(text, str) and PRIVATE.fullmatch(text):
                    names.append((node.lineno, text))
    return names


def test_no_test_uses_a_private_name():
    """What a test needs is public; other functions are tested through their callers."""
    uses = {}
    for path, program in PROGRAMS.items():
        if names := private_names(program):
            uses[path.relative_to(TESTS).as_posix()] = names
    assert uses == {}


@pytest.mark.parametrize(
    "line",
    [
        "from xnbflow.core.jit import _cache",
        "model._tables.posterior(X)",
        "patch.setattr(files, '_LARGEST', 3)",
        "patch.setattr('xnbflow.core.jit._cache', 3)",
        "getattr(model, '_tables')",
    ],
)
def test_a_private_name_is_seen(line):
    assert len(private_names(ast.parse(line))) == 1


def sentences_of(function):
    """Return the sentences in the program of a test, without those of its docstring."""
    docstring = ast.get_docstring(function, clean=False)
    sentences = []
    for node in ast.walk(function):
        text = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(text, str) or text == docstring or RAW.search(text):
            continue
        words = [word for word in text.split() if any(map(str.isalpha, word))]
        if len(words) >= WORDS:
            sentences.append(text)
    return sentences


def test_sentences_are_in_tables():
    """A person who changes a sentence corrects a table ``texts.toml``, and no test."""
    remaining = {}
    for path, program in PROGRAMS.items():
        for node in program.body:
            is_test = isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            if is_test and (sentences := sentences_of(node)):
                remaining[f"{path.relative_to(TESTS).as_posix()}::{node.name}"] = sentences
    assert len(remaining) == WITH_SENTENCES, remaining


@pytest.mark.parametrize(
    ("last_word", "n_sentences"), [("word", 1), ("7", 0), (r"word\n", 0), ("word == 1", 0)]
)
def test_a_sentence_has_seven_words_and_is_no_file(last_word, n_sentences):
    text = "word " * 6 + last_word
    (function,) = ast.parse(f"def test_one():\n    assert message == '{text}'\n").body
    assert len(sentences_of(function)) == n_sentences
