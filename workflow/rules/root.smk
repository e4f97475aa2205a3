# The project's place: around the Snakefile, in a clone and in a wheel; for a Snakefile from a git host, a
# checkout of its commit. The library is in the project's workflow/src; in a wheel, the project is in the
# library.
import os
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from snakemake.exceptions import WorkflowError


def checkout(rules):
    """The complete commit of the rules, since Snakemake fetches only these, file by file."""
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
    """Write the files of a commit: all or none, even if another process writes them at the same time.

    Their date is 0, since Snakemake repeats jobs that are older than a script; digests detect changes.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as part:
        with open(f"{part}/tar", "wb") as file:
            clone.archive(file, commit)
        with tarfile.open(f"{part}/tar") as packed:
            files = [member.replace(mtime=0) for member in packed]
            packed.extractall(f"{part}/tree", files, filter="data")
        try:
            os.rename(f"{part}/tree", folder)
        except OSError:
            if not folder.exists():
                raise


rules_folder = workflow.current_basedir
if hasattr(rules_folder, "hosted_repo"):  # github(...) or gitlab(...)
    ROOT = checkout(rules_folder)
else:
    ROOT = Path(str(rules_folder)).parents[1]
LIBRARY = ROOT / "workflow/src"
if (ROOT.parent / "running/project.py").is_file():
    LIBRARY = ROOT.parents[1]
    sys.path.append(str(LIBRARY))  # an installed package replaces no module of Python
elif LIBRARY.is_dir():
    sys.path.insert(0, str(LIBRARY))
else:
    raise WorkflowError(
        f"{LIBRARY} is missing: the rules need the whole repository. Clone it and name its Snakefile by a path, "
        'or name the Snakefile as github("owner/repository", path="workflow/Snakefile", tag=...) or gitlab(...)'
    )

import xnbflow

if not Path(xnbflow.__file__).parents[1].samefile(LIBRARY):
    raise WorkflowError(
        f"the workflow in {ROOT} found xnbflow in {Path(xnbflow.__file__).parent}: two modules of one "
        "workflow must be the same checkout of xnbflow"
    )
