# Where the project stands: around the Snakefile, or, of a Snakefile from a git host, in Snakemake's cache.
import os
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from snakemake.exceptions import WorkflowError
from snakemake.sourcecache import HostingProviderFile, LocalSourceFile


def project():
    """The folder that all paths of the project start from."""
    rules = workflow.current_basedir
    if isinstance(rules, HostingProviderFile):
        return checkout(rules)
    if isinstance(rules, LocalSourceFile):
        return Path(os.path.normpath(Path(rules) / ".." / ".."))
    raise WorkflowError(
        f"{rules}: a Snakefile by a URL brings the rules alone, and these need the repository around them. "
        'Name it as github("owner/repository", path="workflow/Snakefile", tag=...) or gitlab(...), or clone '
        "the repository and name its Snakefile by a path"
    )


def checkout(rules):
    """The whole commit that the rules are of: Snakemake fetches them one by one, and nothing beside them."""
    commit = commit_of(rules)
    folder = Path(workflow.sourcecache.cache_path) / "xnbflow" / commit
    try:
        if not folder.exists():
            export(rules.hosted_repo.repo, commit, folder)
    except OSError as error:
        raise WorkflowError(
            f"{folder} cannot be written ({error.strerror}); make room or name another place by XDG_CACHE_HOME"
        ) from error
    return folder


def commit_of(rules):
    """The commit that tag or branch mean in this call; a branch may move on while its jobs wait."""
    named = quote(f"{rules.host}/{rules.repo}@{rules.ref}", safe="")
    told = Path(workflow.sourcecache.runtime_cache_path) / "xnbflow" / named
    if not told.exists():
        told.parent.mkdir(parents=True, exist_ok=True)
        told.write_text(rules.hosted_repo.repo.git.rev_parse("--verify", f"{rules.ref}^{{commit}}"))
    return told.read_text()


def export(clone, commit, folder):
    """Write the files of a commit, with its time as theirs; whole or not at all, whoever else does so, too."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as part:
        with open(f"{part}/tar", "wb") as file:
            clone.archive(file, commit)
        with tarfile.open(f"{part}/tar") as packed:
            packed.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4
            packed.extractall(f"{part}/tree")
        try:
            os.rename(f"{part}/tree", folder)
        except OSError:
            if not folder.exists():  # else another process was faster
                raise


ROOT = project()
LIBRARY = str(ROOT / "workflow/src")
if not os.path.isdir(LIBRARY):
    raise WorkflowError(
        f"{LIBRARY} is not there: the library stands beside the rules. Clone the whole repository, and name its "
        "Snakefile by a path"
    )
sys.path.insert(0, LIBRARY)
