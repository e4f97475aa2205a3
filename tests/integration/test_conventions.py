"""What Snakemake's users expect of a workflow: a test configuration, and use as a module."""

import shutil
import subprocess
import sys

import pytest
from integration.conftest import ROOT, SHEET

CALLER = """
import gc

CONFIG = {{
    "run": ["tiny"],
    "sheets": ["config/datasets.tsv"],
    "folds": {{"3-fold": {{"splits": 3}}}},
    "studies": {{
        "tiny": {{
            "title": "A tiny study",
            "datasets": ["wine", "toy"],
            "classifiers": ["nb"],
            "folds": ["3-fold"],
        }}
    }},
}}


module first:
    snakefile: "{snakefile}"
    config: CONFIG
    prefix: "one"


use rule * from first as first_*


module second:
    snakefile: "{snakefile}"
    config: CONFIG
    prefix: "two"


use rule * from second as second_*


module neighbour:
    snakefile: "neighbour/Snakefile"


use rule * from neighbour as neighbour_*


onsuccess:
    open("collecting.txt", "w").write(str(gc.isenabled()))


rule everything:
    default_target: True
    input:
        rules.first_all.input,
        rules.second_all.input,
        rules.neighbour_told.output,
"""

#: Another workflow, whose packages are called as modules and folders of ours are.
NEIGHBOUR = """
import sys

sys.path.insert(0, str(workflow.current_basedir))
import contract
import workflow_package.tables


rule told:
    output: "neighbour.txt"
    params: text=contract.TEXT + workflow_package.tables.TEXT
    script: "scripts/train.py"
"""


def snakemake(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    """A workflow of another's own, with a sheet called as ours is, that imports ours twice, beside
    a third one with packages of its own.
    """
    folder = tmp_path_factory.mktemp("caller")
    (folder / "Snakefile").write_text(CALLER.format(snakefile=ROOT / "workflow/Snakefile"))
    (folder / "config").mkdir()
    (folder / "config/datasets.tsv").write_text(SHEET)
    files = {
        "Snakefile": NEIGHBOUR,
        "contract.py": "TEXT = 'its own contract'",
        "workflow_package/__init__.py": "",
        "workflow_package/tables.py": "TEXT = ' and tables'",
        "scripts/train.py": "open(snakemake.output[0], 'w').write(snakemake.params.text)",
    }
    for name, text in files.items():
        path = folder / "neighbour" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


MODULE = """
module study:
    snakefile: "{snakefile}"
    prefix: "of-it"
    config: {{"run": []}}


use rule * from study as study_*
"""

OWN = """
rule mine:
    output: "mine.txt"
    shell: "touch {output}"
"""


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
@pytest.mark.parametrize(
    ("parts", "made"),
    [((OWN, MODULE), "mine"), ((MODULE, OWN), "study_all"), ((MODULE,), "study_all")],
)
def test_what_comes_first_in_the_importing_snakefile_is_made(snakefile, parts, made, tmp_path):
    module = MODULE.format(snakefile=ROOT / snakefile)
    text = "".join(module if part is MODULE else part for part in parts)
    (tmp_path / "Snakefile").write_text(text)
    planned = snakemake(tmp_path, "-n")
    assert f"rule {made}:" in planned
    assert planned.count("rule mine:") == (made == "mine")


def test_the_workflow_is_imported_twice_under_two_prefixes(caller):
    planned = snakemake(caller, "-n")
    for name, prefix in {"first": "one", "second": "two"}.items():
        assert f"rule {name}_report:" in planned
        assert f"{prefix}/results/studies/tiny/report.html" in planned
        assert f"{prefix}/results/index.html" in planned
    outside = [
        line
        for line in planned.splitlines()
        if line.startswith(("    output: ", "    input: ", "    log: ", "    benchmark: "))
        and any(path.startswith(("results/", "resources/")) for path in line.split()[1:])
    ]
    assert outside == []


def test_an_imported_study_is_run_to_its_page(caller):
    snakemake(caller, "first_tiny", "neighbour_told", "--quiet", "all")
    assert (caller / "neighbour.txt").read_text() == "its own contract and tables"
    page = (caller / "one/results/studies/tiny/report.html").read_text()
    assert "A tiny study" in page
    assert "tiny" in (caller / "one/results/index.html").read_text()
    assert not (caller / "results").exists()
    assert not (caller / "two").exists()
    # garbage is collected again from the first job on
    assert (caller / "collecting.txt").read_text() == "True"


def test_the_test_configuration_plans_its_study():
    arguments = ("--directory", ".test", "--configfile", ".test/config/config.yaml")
    planned = snakemake(ROOT, *arguments, "-n", "--quiet", "rules", "--forceall")
    assert "train" in planned
    assert "report" in planned


def test_the_project_s_profile_is_found_from_any_folder(tmp_path):
    told = snakemake(
        tmp_path, "--snakefile", str(ROOT / "workflow/Snakefile"), "--list-target-rules"
    )
    assert f"Using workflow specific profile {ROOT}/workflow/profiles/default" in told


def test_rules_without_the_library_beside_them_say_what_to_do(tmp_path):
    shutil.copytree(ROOT / "workflow/rules", tmp_path / "workflow/rules")
    shutil.copy(ROOT / "workflow/Snakefile", tmp_path / "workflow")
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    told = done.stdout + done.stderr
    assert "Clone the whole repository, and name its Snakefile by a path" in told
