"""Import every module of the library that is installed; with ``--again`` for each line of input.

With ``--again`` packages of others are imported once; then it prints "imported". For each line of
the standard input a fork imports the library from the files that are there by then, and prints the
error, or an empty line.
"""

import importlib
import os
import pkgutil
import sys


def import_library():
    """Import all modules of the library."""
    xnbflow = importlib.import_module("xnbflow")
    for module in pkgutil.walk_packages(xnbflow.__path__, "xnbflow."):
        importlib.import_module(module.name)


def import_in_fork():
    """Import the library in a process of its own, which prints the error, or an empty line."""
    process = os.fork()
    if process:
        os.waitpid(process, 0)
        return
    importlib.invalidate_caches()
    error = ""
    try:
        import_library()
    except Exception as exception:  # noqa: BLE001  any error fails the test
        error = repr(exception)
    print(error, flush=True)
    os._exit(0)


import_library()
if "--again" in sys.argv:
    for name in [name for name in sys.modules if name.partition(".")[0] == "xnbflow"]:
        del sys.modules[name]
    print("imported", flush=True)
    for _ in sys.stdin:
        import_in_fork()
