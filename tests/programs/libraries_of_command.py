"""Print the heavy libraries that a module of the command `xnbflow` imports, in two lines.

The argument is its name in ``xnbflow.running.cli``. The first line has the libraries of jobs, the
second whether numpy is imported.
"""

import importlib
import sys

import xnbflow.running.cli.app  # noqa: F401  (the command imports it first)

importlib.import_module(f"xnbflow.running.cli.{sys.argv[1]}")
print(*{"numba", "sklearn", "scipy.stats", "matplotlib"} & set(sys.modules))
print("numpy" in sys.modules)
