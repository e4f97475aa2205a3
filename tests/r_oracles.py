"""R as an oracle: arrays in, arrays out. A test skips where R or the package is absent."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

#: Reads the arrays named on the command line; `put` writes an answer.
_BEGIN = """
folder <- commandArgs(TRUE)[1]
for (name in commandArgs(TRUE)[-1]) {
  file <- file.path(folder, name)
  dims <- scan(paste0(file, ".dims"), quiet = TRUE)
  assign(name, array(readBin(file, "double", prod(dims)), dims))
}
put <- function(name, x) writeBin(as.double(x), file.path(folder, paste0(name, ".out")))
options(warn = -1)
"""


@functools.cache
def _version(package):
    if shutil.which("Rscript") is None:
        return None
    code = f'cat(as.character(packageVersion("{package}")))'
    run = subprocess.run(["Rscript", "-e", code], check=False, capture_output=True, text=True)
    return run.stdout or None


def r_answers(package, script, **arrays):
    """Return what an R script puts, by name, flat and in R's order: the first index is fastest."""
    if (version := _version(package)) is None:
        pytest.skip(f"R's {package} is not installed")
    if package == "limma" and not version.startswith("3.54."):
        pytest.skip(f"limma {version} is installed; these numbers are those of 3.54")
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items():
            Path(folder, name).write_bytes(np.asarray(array, dtype=float).tobytes(order="F"))
            Path(folder, f"{name}.dims").write_text(" ".join(map(str, np.shape(array))))
        code = Path(folder, "script.R")
        code.write_text(f"{_BEGIN}\nsuppressMessages(library({package}))\n{script}")
        run = ["Rscript", str(code), folder, *arrays]
        done = subprocess.run(run, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return {path.stem: np.fromfile(path) for path in Path(folder).glob("*.out")}
