# Where the project is: around the Snakefile, or, of a Snakefile from a git host, in a checkout of its commit.
import os
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from snakemake.exceptions import WorkflowError


def checkout(rules):
    """The whole commit that the rules are of: Snakemake fetches them alone, file by file."""
    clone = rules.hosted_repo.repo
    commit = clone.git.rev_parse("--verify", f"{rules.ref}^{{commit}}")
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(caches, "xnbflow", "checkouts", commit)
    try:
        if not folder.exists():
            export(clone, commit, folder)
    except OSError as error:
        raise WorkflowError(
            f"{folder} cannot be written ({error.strerror}). Make room or name another folder by XDG_CACHE_HOME"
        ) from error
    return folder


def export(clone, commit, folder):
    """Write the files of a commit with its time; whole or not at all, even if another process does so too."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as part:
        with open(f"{part}/tar", "wb") as file:
            clone.archive(file, commit)
        with tarfile.open(f"{part}/tar") as packed:
            packed.extractall(f"{part}/tree", filter="data")
        try:
            os.rename(f"{part}/tree", folder)
        except OSError:
            if not folder.exists():
                raise


here = workflow.current_basedir
if hasattr(here, "hosted_repo"):  # github(...) or gitlab(...)
    ROOT = checkout(here)
else:
    ROOT = Path(str(here)).parents[1]
LIBRARY = ROOT / "workflow/src"
if not LIBRARY.is_dir():
    raise WorkflowError(
        f"{LIBRARY} is missing: the rules need the whole repository. Clone it and name its Snakefile by a path, "
        'or name the Snakefile as github("owner/repository", path="workflow/Snakefile", tag=...) or gitlab(...)'
    )
sys.path.insert(0, str(LIBRARY))

import xnbflow

if not Path(xnbflow.__file__).is_relative_to(ROOT):
    raise WorkflowError(
        f"the workflow in {ROOT} found xnbflow in {Path(xnbflow.__file__).parent}: two modules of one "
        "workflow must be the same checkout of xnbflow"
    )
