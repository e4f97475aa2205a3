"""What documents and docstrings name: commands, files, parameters and types."""

import importlib
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest
import yaml
from snakemake.cli import get_argument_parser
from toys import PROGRAMS

from xnbflow.running.project import default_configuration

ROOT = Path(__file__).parents[3]
STUDIES = {*default_configuration(ROOT)["studies"], "my-study"}
STUDIES |= {*yaml.safe_load((ROOT / ".test/config/config.yaml").read_text())["studies"]}
STUDIES |= {"early"}  # which `xnbflow study -o early` writes
PLACES = ("*.md", "*/README.md", "docs/**/*.md", "profiles/*/*")
DOCUMENTS = sorted(
    path for pattern in (*PLACES, ".test/config/*.yaml") for path in ROOT.glob(pattern)
)


def commands(program, pattern=r"(?:^[ #\d.]*`?|\| `){program}( [^`\n]*)"):
    """Every call of a program with options in a document, without its comment."""
    for path in DOCUMENTS:
        for actual in re.findall(pattern.format(program=program), path.read_text(), re.MULTILINE):
            yield pytest.param(actual, id=f"{path.relative_to(ROOT)}:{actual.partition('#')[0]}")


#: Every call of the command `xnbflow`, whose name is also a word of the text.
OURS = (
    "^{program}( (?:fit|show|signature|predict|explain|cumida|study|methods|run|figures"
    "|export|open)"
)


@pytest.mark.parametrize("command", list(commands("snakemake")))
def test_every_word_of_a_documented_command_is_a_study_or_an_option_s_own(command):
    args = get_argument_parser().parse_args(shlex.split(command, comments=True))
    assert {target for target in args.targets if not target.startswith("results/")} <= STUDIES
    assert set(args.until or ()) <= {"acquire"}
    assert [Path(path).suffix for path in args.configfile or ()] in ([], [".yaml"])


@pytest.mark.parametrize("command", list(commands("xnbflow", rf"{OURS}\b[^`\n]*)")))
def test_every_documented_command_of_ours_is_parsed_by_it(command):
    typer = pytest.importorskip("typer", reason="the command line needs typer")
    from xnbflow.running.cli.app import app

    name, *words = shlex.split(command, comments=True)
    context = typer.main.get_command(app).commands[name].make_context(name, words)
    assert context.info_name == name


#: Folders of the project whose files documents name; others are those of a run.
FOLDERS = "workflow|config|docs|benchmarks|tests|envs|profiles|papers|naive_bayes|inference"
FOLDERS += "|preprocessing|density|evaluation|diagnostics|models|studies|report|running|jobs"
FOLDERS += r"|sources|tables|core|\.test|\.ci|\.github"
PROSE = [path for path in DOCUMENTS if path.suffix == ".md" and path.name != "CHANGELOG.md"]


def prose(path):
    """Return a document without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)


def test_every_file_of_the_project_that_a_document_names_is_there():
    named = set()
    for path in PROSE:
        found = re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", prose(path))
        named |= {(path.name, name) for name in found}
    assert named
    places = (ROOT, ROOT / "workflow/src/xnbflow")
    lost = [pair for pair in sorted(named) if not any((at / pair[1]).exists() for at in places)]
    assert lost == []


def headings_of(path):
    """Return the anchors of the headings of a document, as GitHub and Sphinx make them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def test_every_link_between_documents_leads_to_a_file_and_a_heading():
    links = []
    for path in PROSE:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", prose(path)):
            if not re.match(r"\w+:", target):
                links.append((path, (path.parent / target).resolve() if target else path, anchor))
    assert links
    lost = [(path.name, str(target)) for path, target, _ in links if not target.exists()]
    assert lost == []
    lost = [
        (path.name, target.name, anchor)
        for path, target, anchor in links
        if anchor and target.suffix == ".md" and anchor not in headings_of(target)
    ]
    assert lost == []


def test_github_shows_every_page_without_directives_of_sphinx():
    """The page of all names is made for the site alone."""
    pages = [path.name for path in PROSE if "```{" in path.read_text() and path.name != "names.md"]
    assert pages == []


def test_every_class_and_function_of_the_library_reference_has_an_example(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    page = importlib.import_module("library_reference").library_reference()
    without = []
    for path in re.findall(r"~(\S+)", page):
        named = resolve_name(path)
        if callable(named) and "\nExamples\n--------\n" not in (inspect.getdoc(named) or ""):
            without.append(path)
    assert not without


@pytest.mark.slow
def test_a_type_checker_accepts_correct_code_of_users_and_finds_mistakes(tmp_path, pytestconfig):
    """As the library is installed; compiled kernels keep their types.

    The types of unchanged files are in the cache of pytest: another run takes a second.
    """
    known = pytestconfig.cache.mkdir("mypy")
    options = ["--strict", "--config-file", "", "--cache-dir", str(known)]
    command = [sys.executable, "-m", "mypy", *options, PROGRAMS / "user_types"]
    run = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    assert "user.py" not in run.stdout
    for mistake in ("NoSuchNB", "int", "no_such_parameter", "curves", "object"):
        assert f'"{mistake}"' in run.stdout


@pytest.mark.slow
def test_every_documented_benchmark_can_be_imported():
    modules = set()
    for path in (*DOCUMENTS, ROOT / "Makefile", *ROOT.glob("benchmarks/*.py")):
        modules |= set(re.findall(r"python -m (benchmarks\.\w+)", path.read_text()))
    assert modules
    command = [sys.executable, "-c", f"import {', '.join(sorted(modules))}"]
    subprocess.run(command, cwd=ROOT, check=True)


def test_every_row_of_benchmarks_that_a_document_names_is_measured():
    """`python -m benchmarks growth` runs the module `bench_growth`."""
    rows = set()
    for path in DOCUMENTS:
        rows |= set(re.findall(r"`python -m benchmarks (\w+)`", path.read_text()))
    assert rows
    missing = {row for row in rows if not (ROOT / "benchmarks" / f"bench_{row}.py").is_file()}
    assert not missing
