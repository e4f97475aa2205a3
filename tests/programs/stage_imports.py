"""What scripts of the workflow import: stages that need the same packages in one process.

It is a fork of the process that called `report`, which has imported what the script of *acquire*
imports. This is little: only the forks import packages that take long. In a fork one stage is
imported after another, so that a package that it does not need is reported with the first stage
that imports it.
"""

import os
import sys


def report(imports, alike, packages):
    """Print a line for each stage to the standard error: its name and the packages it imported.

    Parameters
    ----------
    imports : dict of str to str
        The lines of each stage that import parts of the library.
    alike : list of list of str
        Stages that need the same packages.
    packages : set of str
        The modules that are looked for.
    """
    exec(imports["acquire"])
    for stages in alike:
        process = os.fork()
        if process:
            _, status = os.waitpid(process, 0)
            if status:
                sys.exit(f"the imports of {stages} failed")
            continue
        for stage in stages:
            exec(imports[stage])
            print(stage, *sorted(packages & set(sys.modules)), file=sys.stderr, flush=True)
        os._exit(0)
