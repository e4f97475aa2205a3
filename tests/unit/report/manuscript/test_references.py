"""Cited works: each is complete, cited, and written as BibTeX."""

import re
from pathlib import Path

from xnbflow.evaluation.methods import shipped_methods
from xnbflow.report.manuscript import paragraphs as source
from xnbflow.report.manuscript.references import bibtex, cited_keys, references

FOLDER = Path(source.__file__).parent


def test_every_work_is_complete_and_cited_and_every_citation_is_a_work():
    templates = [*FOLDER.glob("templates/*"), *FOLDER.glob("*.yaml"), *FOLDER.glob("*.py")]
    text = " ".join(path.read_text() for path in templates if path.name != "references.yaml")
    for method in shipped_methods().values():
        text += f" {method.source} " + " ".join(
            w for v in method.rules.values() for w in v.values()
        )
    cited = {*cited_keys(text), *re.findall(r"source: (\w+)", text)} & set(references())
    packages = {"numpy", "scipy", "numba", "snakemake", "xnb2025"}
    assert cited | packages == set(references())
    assert set(re.findall(r"(?<=[\[ (\"])@([a-z]+\d{4})", text)) <= set(references())
    assert len(re.findall(r"^@\w+{", bibtex(references()), re.MULTILINE)) == len(references())


def test_pages_of_a_work_have_an_en_dash_in_bibtex():
    assert "pages = {65--70}" in bibtex(["holm1979"])
