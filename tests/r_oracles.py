"""R as an oracle: arrays in, arrays out. A test skips where R or the package is absent."""

import atexit
import functools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

#: Runs the script of each folder that a line of the input names, in an environment of its own with
#: the folder's arrays; `put` writes an answer. A line with only `.` ends what is written on it.
_SESSION = """
suppressMessages(library(package, character.only = TRUE))
options(warn = -1)
.run <- function(folder) {
  scope <- new.env()
  for (dims in list.files(folder, "[.]dims$", full.names = TRUE)) {
    file <- sub("[.]dims$", "", dims)
    shape <- scan(dims, quiet = TRUE)
    assign(basename(file), array(readBin(file, "double", prod(shape)), shape), scope)
  }
  scope$put <- function(name, x) writeBin(as.double(x), file.path(folder, paste0(name, ".out")))
  sys.source(file.path(folder, "script.R"), scope)
}
cat(as.character(packageVersion(package)), "\\n.\\n", sep = "")
.input <- file("stdin", "r")
while (length(.folder <- readLines(.input, 1)) > 0) {
  tryCatch(.run(.folder), error = function(error) cat("Error:", conditionMessage(error), "\\n"))
  cat("\\n.\\n")
}
"""


class _Session:
    """A process of R with a package, which runs scripts until the tests end.

    The start of R with a package takes longer than most of the scripts.
    """

    def __init__(self, package):
        self._process = subprocess.Popen(
            ["Rscript", "-e", f'package <- "{package}"', "-e", _SESSION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        atexit.register(self._end)
        self.version = self._read()

    def run(self, folder):
        """Run the script in a folder; return what R wrote."""
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self):
        """Return what R writes before the line that ends it."""
        lines = []
        for line in self._process.stdout:
            if line == ".\n":
                return "".join(lines).strip()
            lines.append(line)
        pytest.fail("R has ended: " + "".join(lines))

    def _end(self):
        self._process.terminate()
        self._process.communicate()


@functools.cache
def is_installed(package):
    """Return whether R and a package of it are installed."""
    if shutil.which("Rscript") is None:
        return False
    code = f'cat(requireNamespace("{package}", quietly = TRUE))'
    run = subprocess.run(["Rscript", "-e", code], check=False, capture_output=True, text=True)
    return run.stdout == "TRUE"


#: What R answers where a function needs a package that distributions only suggest.
_ABSENT = re.compile(r"no package called .(\w+)|(\w+) package required but is not installed")


@functools.cache
def _session(package):
    return _Session(package)


def absent_package(written):
    """Return the package that R misses by what it wrote; None where it has another error."""
    match = _ABSENT.search(written)
    name = match and (match[1] or match[2])
    return name if name and not is_installed(name) else None


def r_answers(package, script, **arrays):
    """Return what an R script puts, by name, flat and in R's order: the first index is fastest.

    The test skips where the package is absent, or one that its functions load by themselves.
    """
    if not is_installed(package):
        pytest.skip(f"R's {package} is not installed")
    session = _session(package)
    if package == "limma" and not session.version.startswith("3.54."):
        pytest.skip(f"limma {session.version} is installed; these numbers are those of 3.54")
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items():
            Path(folder, name).write_bytes(np.asarray(array, dtype=float).tobytes(order="F"))
            Path(folder, f"{name}.dims").write_text(" ".join(map(str, np.shape(array))))
        Path(folder, "script.R").write_text(script)
        written = session.run(folder)
        if absent := absent_package(written):
            pytest.skip(f"R's {absent} is not installed")
        assert "Error:" not in written, written
        return {path.stem: np.fromfile(path) for path in Path(folder).glob("*.out")}
