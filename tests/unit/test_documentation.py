"""The commands that the documents name: Snakemake must take them as they are meant."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from snakemake.cli import get_argument_parser

ROOT = Path(__file__).parents[2]
STUDIES = {*yaml.safe_load((ROOT / "config/config.yaml").read_text())["studies"], "my-study"}


def commands():
    """Every call of Snakemake with options in a document, without its comment."""
    documents = [*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("config/profiles/*/*")]
    for path in sorted(documents):
        for found in re.findall(r"^[ #\d.`]*snakemake( [^`\n]*)", path.read_text(), re.MULTILINE):
            yield pytest.param(found, id=f"{path.relative_to(ROOT)}:{found.partition('#')[0]}")


@pytest.mark.parametrize("command", list(commands()))
def test_every_word_of_a_documented_command_is_a_study_or_an_option_s_own(command):
    args = get_argument_parser().parse_args(shlex.split(command, comments=True))
    assert set(args.targets) <= {*STUDIES, "results/studies/{study}/pictures"}
    assert [Path(path).suffix for path in args.configfile or ()] in ([], [".yaml"])


def test_the_documents_name_commands():
    assert len(list(commands())) >= 8
