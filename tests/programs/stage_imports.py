"""What scripts of the workflow import: each in a fork of the process that called `report`.

The process has imported what the script of *acquire* imports, which is little: only the forks
import packages that take long.
"""

import os
import sys


def report(imports, packages):
    """Print a line for each stage to the standard error: its name and the packages it imported.

    Parameters
    ----------
    imports : dict of str to str
        The lines of each stage that import parts of the library.
    packages : set of str
        The modules that are looked for.
    """
    exec(imports["acquire"])
    for stage, lines in imports.items():
        process = os.fork()
        if process:
            _, status = os.waitpid(process, 0)
            if status:
                sys.exit(f"the imports of {stage} failed")
            continue
        exec(lines)
        print(stage, *sorted(packages & set(sys.modules)), file=sys.stderr, flush=True)
        os._exit(0)
