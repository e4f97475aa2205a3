"""Write envs/xnbflow.linux-64.pin.txt: the packages of envs/xnbflow.yaml, versions of the lock.

`make lock` calls it. Snakemake gives this file to `conda create --file` before it tries the ranges
of the YAML file; where conda-forge lacks a version, it falls back to these, with a warning.
"""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PIN_FILE = ROOT / "envs/xnbflow.linux-64.pin.txt"
#: Names of conda-forge that differ from those of PyPI.
OF_PYPI = {"matplotlib-base": "matplotlib", "python-isal": "isal"}
#: The newest Python for which the lock was tested by the hosted CI.
PYTHON = "3.12"
HEADER = """# Versions of requirements.lock for the packages of xnbflow.yaml, by .ci/conda_pins.py.
# Not solved by those who wrote it: they had no conda. Where conda-forge lacks a version, Snakemake
# falls back to xnbflow.yaml, with a warning.
"""


def locked_versions() -> dict[str, str]:
    """Return the pinned version of each package of the lock file."""
    text = (ROOT / "requirements.lock").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)(?:\[\S+\])?==([^ ;\\]+)", text, re.MULTILINE))


def pins() -> str:
    """Return the text of the pin file."""
    environment = yaml.safe_load((ROOT / "envs/xnbflow.yaml").read_text())
    versions = locked_versions()
    lines = []
    for requirement in environment["dependencies"]:
        name = requirement.split()[0]
        version = PYTHON if name == "python" else versions[OF_PYPI.get(name, name)]
        lines.append(f"conda-forge::{name}={version}")
    return HEADER + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PIN_FILE.write_text(pins())
