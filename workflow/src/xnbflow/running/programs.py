"""Programs that options of Snakemake need, looked for before the first job."""

import shutil
from collections.abc import Sequence

from xnbflow.running.cluster import option_value

#: Options of Snakemake, the value that needs a program, the programs of which one suffices, and
#: what to do without.
_NEEDED = (
    (
        ("--software-deployment-method", "--sdm"),
        "conda",
        ("conda", "mamba", "micromamba"),
        "Install conda (for example Miniforge), or leave the option out: jobs then use this Python",
    ),
    (
        ("--software-deployment-method", "--sdm"),
        "apptainer",
        ("apptainer", "singularity"),
        "Install apptainer, or leave the option out: jobs then use this Python",
    ),
    (
        ("--default-storage-provider",),
        "fs",
        ("rsync",),
        "Install rsync (apt-get install rsync, conda install rsync)",
    ),
)


def missing_program(arguments: Sequence[str]) -> str:
    """Return which program a call of Snakemake needs and does not find; empty if none is missing.

    Examples
    --------
    >>> missing_program(["--cores", "2"])
    ''
    """
    for options, value, programs, remedy in _NEEDED:
        for option in options:
            asked = option_value(arguments, option) == value
            if asked and not any(map(shutil.which, programs)):
                named = " or ".join(programs)
                return f"{option} {value} needs the program {named}, which is not found. {remedy}"
    return ""
