"""Words of names are elements in which a browser breaks no line."""

import pandas as pd
import pytest

from xnbflow.report.page.blocks import Group, Section, Table
from xnbflow.report.page.page import write_page
from xnbflow.report.page.unbroken import unbroken, unbroken_sentence


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("TP53", "TP53"),
        ("201125_s_at", "201125_s_at"),
        ("a<b", "a&lt;b"),
        ("HLA-A", '<span><span class="word">HLA-A</span></span>'),
        ("T-", "T-"),  # a line may end after the word
        ("A///B C", '<span><span class="word">A///B</span> C</span>'),
        ("123456789012345", "123456789012345"),
    ],
)
def test_a_name_is_one_element_whose_words_are_not_broken(name, html):
    assert str(unbroken(name)) == html


def test_a_word_of_16_letters_may_be_shortened_and_has_its_whole_text_under_the_pointer():
    quoted = '123456789"123456'
    assert str(unbroken(quoted)) == (
        '<span><span class="word" title="123456789&quot;123456">123456789&quot;123456</span></span>'
    )


@pytest.mark.parametrize(
    ("word", "is_marked"),
    [
        ("Pro-B-ALL", True),
        ("cross-validation", False),  # may be broken at its hyphen
        ("8.2e-05", False),
        ("results/studies/S/genes.parquet", False),
        ("HLA-DRB1///HLA-DRB3", True),
        ("X-" + 38 * "a", True),
        ("X-" + 39 * "a", False),
    ],
)
def test_words_of_sentences_are_marked_where_they_are_names(word, is_marked):
    assert ('class="word"' in unbroken_sentence(f"The class {word} is")) == is_marked


def test_names_of_tables_and_groups_are_not_broken(tmp_path):
    frame = pd.DataFrame({"class": ["T-ALL"], "gene": ["HLA-B"], "p": [1e-5]})
    section = Section("s", "S", "", [Group("c-ALL", [Table(frame, "")])])
    write_page(tmp_path / "p.html", "HG-U133B", lead="", sections=[section])
    html = (tmp_path / "p.html").read_text()
    for name in ("T-ALL", "HLA-B", "c-ALL", "HG-U133B"):
        assert f'<span class="word">{name}</span>' in html
    assert "1e-05</span>" not in html  # cells of numbers are not broken in any case
