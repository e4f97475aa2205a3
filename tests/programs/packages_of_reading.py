"""Print the packages of the library that reading a series imports.

The argument has the import statements of the job that reads; all modules of ``xnbflow.sources`` are
imported as well, for a job imports the one that its data set names.
"""

import importlib
import pkgutil
import sys

import xnbflow.sources

exec(sys.argv[1])
for module in pkgutil.iter_modules(xnbflow.sources.__path__):
    importlib.import_module(f"xnbflow.sources.{module.name}")
print(*{name.split(".")[1] for name in sys.modules if name.startswith("xnbflow.")})
