"""Compare what names the version of a release; print one line per disagreement.

Usage: ``python .ci/release_check.py [--root FOLDER] [--tag v0.1.0]``. The version is
``__version__`` of the library. The changelog, CITATION.cff, .zenodo.json, the wheel that is built
here, the tags in the documents and the tag of the release must agree with it.
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import yaml

VERSION_FILE = "workflow/src/xnbflow/__init__.py"
#: Where documents name the version of a release: a tag of the repository, or a pinned package.
IN_DOCUMENTS = re.compile(r"""(?:tag="|--tag |xnbflow==|xnbflow@)v?(\d+\.\d+\.\d+\w*)""")


def version_of(root: Path) -> str:
    """Return the version in the library's source.

    Raises
    ------
    ValueError
        If the source has none.
    """
    version = re.search(r'^__version__ = "(.+)"$', (root / VERSION_FILE).read_text(), re.MULTILINE)
    if not version:
        msg = f"{VERSION_FILE} has no line __version__ = ..."
        raise ValueError(msg)
    return version[1]


def differing(file: str, actual: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """Return a line for each key of a file that has not the expected value."""
    faults = []
    for key, value in expected.items():
        if actual.get(key) != value:
            faults.append(f"{file}: {key} is {actual.get(key)!r}, not {value!r}")
    return faults


def release_date(root: Path, version: str) -> tuple[str | None, list[str]]:
    """Return the date of the version in the changelog, and what is wrong with its heading."""
    headings = re.findall(r"^## (\S+) \((.+)\)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not headings or headings[0][0] != version:
        newest = headings[0][0] if headings else "missing"
        return None, [f"CHANGELOG.md: the newest version is {newest}, not {version}"]
    try:
        return datetime.date.fromisoformat(headings[0][1]).isoformat(), []
    except ValueError:
        fault = f"CHANGELOG.md: {version} has {headings[0][1]!r} for a date"
        return None, [f"{fault}; write the day of the release as YYYY-MM-DD"]


def citation_faults(root: Path, version: str, date: str | None) -> list[str]:
    """Compare CITATION.cff with the version, and .zenodo.json with both and pyproject.toml."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    cited = yaml.safe_load((root / "CITATION.cff").read_text())
    expected = {"title": project["name"], "version": version, "license": project["license"]}
    if date is not None:
        expected["date-released"] = date
    cited["date-released"] = str(cited.get("date-released"))
    faults = differing("CITATION.cff", cited, expected)
    deposit = json.loads((root / ".zenodo.json").read_text())
    deposit["title"] = deposit.get("title", "").partition(":")[0]
    works = deposit.get("related_identifiers", [])
    deposit["related"] = {work["identifier"] for work in works}
    expected = {
        "title": project["name"],
        "version": version,
        "license": project["license"],
        "publication_date": date or deposit.get("publication_date"),
        "creators": [{"name": author["name"]} for author in cited["authors"]],
        "keywords": project["keywords"],
        "related": {work["doi"] for work in cited["references"] if "doi" in work},
    }
    return faults + differing(".zenodo.json", deposit, expected)


def built_wheel(root: Path, folder: Path) -> Path:
    """Build the wheel of a source tree into a folder, and return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)  # noqa: S603
    return next(folder.glob("*.whl"))


def wheel_metadata(wheel: Path) -> Message:
    """Return the METADATA of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def wheel_faults(root: Path, version: str) -> list[str]:
    """Build the wheel and compare its metadata with the version and pyproject.toml."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    with tempfile.TemporaryDirectory() as folder:
        wheel = built_wheel(root, Path(folder))
        metadata = wheel_metadata(wheel)
        contents = zipfile.ZipFile(wheel).read("xnbflow/__init__.py").decode()
    keys = ("Name", "Version", "Requires-Python", "License-Expression")
    actual = {key: metadata[key] for key in keys}
    expected = {
        "Name": project["name"],
        "Version": version,
        "Requires-Python": project["requires-python"],
        "License-Expression": project["license"],
    }
    faults = differing("the wheel", actual, expected)
    if f'__version__ = "{version}"' not in contents:
        faults.append(f"the wheel: xnbflow/__init__.py is not that of version {version}")
    return faults


def document_faults(root: Path, version: str) -> list[str]:
    """Return a line for each place in a document that names the tag of another version."""
    documents = [root / "README.md", root / "config/README.md", *sorted(root.glob("docs/**/*.md"))]
    faults = []
    for path in documents:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            place = f"{path.relative_to(root)}:{number}"
            others = [named for named in IN_DOCUMENTS.findall(line) if named != version]
            faults += [f"{place}: names version {named}, not {version}" for named in others]
    return faults


def disagreements(root: Path, tag: str | None = None) -> list[str]:
    """Return one line for each disagreement about the version of a release."""
    version = version_of(root)
    date, faults = release_date(root, version)
    if tag is not None and tag != f"v{version}":
        faults.append(f"the tag is {tag}, not v{version}")
    faults += citation_faults(root, version, date)
    faults += document_faults(root, version)
    return faults + wheel_faults(root, version)


def main() -> int:
    """Print the disagreements; the exit status is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--tag", help="the tag of the release, if it exists already")
    arguments = parser.parse_args()
    faults = disagreements(arguments.root, arguments.tag)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        print(f"release: {version_of(arguments.root)} agrees everywhere")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
