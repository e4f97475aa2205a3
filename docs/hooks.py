"""What `make docs` adds: the repository's own documents, the command line, formulas."""

import re
from collections.abc import Callable
from pathlib import Path

import latex2mathml.converter
import yaml
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from xnbflow.evaluation.methods import METHODS

ROOT = Path(__file__).parents[1]
#: What `make docs` computes before: the results of the study `example`.
EXAMPLE = ROOT / ".test/results"

#: Documents of the repository by their place on the site: each is told once, and shown in both.
DOCUMENTS = {
    "project/architecture.md": "workflow/README.md",
    "project/changelog.md": "CHANGELOG.md",
    "project/conduct.md": "CODE_OF_CONDUCT.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/security.md": "SECURITY.md",
    "reference/configuration.md": "config/README.md",
    "reference/tables.md": "results/README.md",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from the repository."""
    for place, document in DOCUMENTS.items():
        text = (ROOT / document).read_text(encoding="utf-8")
        files.append(File.generated(config, place, content=relinked(text, document, place)))
    files.append(File.generated(config, "reference/cli.md", content=command_line()))
    for path in example_files():
        place = f"example/{path.relative_to(EXAMPLE.parent).as_posix()}"
        files.append(File.generated(config, place, abs_src_path=str(path)))
    files.append(File.generated(config, "example.md", content=example_page()))
    return files


def example_files() -> list[Path]:
    """Return the report of the example and what it links to; nothing where it was not computed."""
    folders = [EXAMPLE / "studies/example", EXAMPLE / "example"]
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in found if not path.name.startswith(".")]


def example_page() -> str:
    """Return the page that leads to the report of the example."""
    text = (ROOT / ".test/config/config.yaml").read_text(encoding="utf-8")
    study = yaml.safe_load(text)["studies"]["example"]
    report = "example/results/studies/example/report.html"
    leads = f"[Open the report]({report}){{target=_blank}}. Its links to tables work here, too."
    absent = "This site was built without the report; `make docs` computes it first."
    return (
        f"# An example report\n\n{study['summary']} No real data are in it.\n\n"
        f"{leads if EXAMPLE.joinpath('studies/example/report.html').is_file() else absent}\n\n"
        "The study is `example` in `.test/config/config.yaml`:\n\n```yaml\n"
        f"{yaml.safe_dump(study, sort_keys=False)}```\n"
    )


def relinked(text: str, document: str, place: str) -> str:
    """Return a document whose links lead to where the linked documents stand on the site.

    A link to a file that is not on the site becomes its name.
    """
    places = {source: page for page, source in DOCUMENTS.items()} | {"README.md": "index.md"}

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found.groups()
        if "://" in target or not target:
            return found.group()
        path = (ROOT / document).parent.joinpath(target).resolve().relative_to(ROOT)
        page = places.get(str(path), str(path).removeprefix("docs/"))
        if page.endswith(".md") and (str(path) in places or str(path).startswith("docs/")):
            return f"[{words}]({'../' * place.count('/')}{page}{anchor or ''})"
        return words

    return re.sub(r"\[([^\]\n]+)\]\(([^)#\s]*)(#[^)\s]*)?\)", link, indented(text))


def indented(text: str) -> str:
    """Return a document whose numbered items go on after four spaces, as Python-Markdown wants."""
    lines, within = [], False
    for line in text.split("\n"):
        if line and not line.startswith(" "):
            within = re.match(r"\d+\. ", line) is not None
        lines.append(f" {line}" if within and line.startswith("   ") else line)
    return "\n".join(lines)


def command_line() -> str:
    """Return the reference of the command `xnbflow`, from the command itself."""
    import typer
    from typer.cli import get_docs_for_click

    from xnbflow.running.cli.app import app

    group = typer.main.get_command(app)
    text = get_docs_for_click(obj=group, ctx=typer.Context(group), name="xnbflow")
    return text.replace("# `xnbflow`", "# Command line", 1)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to documents to their pages; set formulas and figures of the methods."""
    del config, files
    if page.file.src_uri == "reference/api.md":
        return with_methods(markdown)
    for place, document in DOCUMENTS.items():
        up = "../" * page.file.src_uri.count("/")
        markdown = markdown.replace(f"]({up}../{document}", f"]({up}{place}")
    if not page.file.src_uri.startswith("methods/"):
        return markdown
    made = re.sub(r"\$\$(.+?)\$\$", formula("block"), markdown, flags=re.DOTALL)
    made = re.sub(r"\$([^$\n]+)\$", formula("inline"), made)
    return re.sub(r"^!figure (\S+) (.+)$", figure, made, flags=re.MULTILINE)


def with_methods(markdown: str) -> str:
    """Return the page of the library with every classifier and transformer of the registry."""
    for kind in ("classifier", "transformer"):
        own = [method.estimator for method in METHODS.values() if method.kind == kind]
        blocks = "\n\n".join(f"::: {name}" for name in sorted(own))
        markdown = markdown.replace(f"<!-- Every {kind} of the registry. -->", blocks)
    return markdown


def formula(display: str) -> Callable[[re.Match[str]], str]:
    """Return what turns TeX into MathML, which browsers set without a script."""

    def convert(found: re.Match[str]) -> str:
        made = latex2mathml.converter.convert(found.group(1).strip(), display=display)
        return f'<span class="{"formula" if display == "block" else "symbol"}">{made}</span>'

    return convert


def figure(found: re.Match[str]) -> str:
    """Return a drawing of `docs/figures.py` with its caption; its ink is the page's."""
    name, caption = found.groups()
    drawing = (ROOT / "docs/figures" / f"{name}.svg").read_text(encoding="utf-8")
    drawing = drawing[drawing.index("<svg") :]
    caption_text = f"<figcaption markdown='span'>{caption}</figcaption>"
    return f'<figure class="figure" markdown>\n{drawing}\n{caption_text}\n</figure>'
