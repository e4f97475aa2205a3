"""Import every module of the library that is installed."""

import importlib
import pkgutil

import xnbflow

for module in pkgutil.walk_packages(xnbflow.__path__, "xnbflow."):
    importlib.import_module(module.name)
