"""Print the packages of the library that reading a series imports, and the modules of jobs.

The argument has the import statements of the job that reads; all modules of ``xnbflow.sources`` are
imported as well, for a job imports the one that its data set names.
"""

import importlib
import pkgutil
import sys

import xnbflow.sources

exec(sys.argv[1])
for module in pkgutil.walk_packages(xnbflow.sources.__path__, "xnbflow.sources."):
    importlib.import_module(module.name)
names = [name.removeprefix("xnbflow.") for name in sys.modules if name.startswith("xnbflow.")]
packages = {name.partition(".")[0] for name in names}
print(*packages, *(name for name in names if name.startswith("jobs.")))
