"""Uses the library as it is installed from a wheel without extras; run by .ci/package."""

import importlib.util
import os
from importlib.metadata import version
from pathlib import Path

from sklearn.datasets import load_wine

import xnbflow
from xnbflow.diagnostics import shapiro_wilk
from xnbflow.models import cross_validate, fit_model, read_model, write_model
from xnbflow.naive_bayes import XNB, ClassSpecificNB
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry

assert "site-packages" in Path(xnbflow.__file__).parts, xnbflow.__file__
assert version("xnbflow") == xnbflow.__version__
assert Path(xnbflow.__file__).with_name("py.typed").is_file()
for extra in ("snakemake", "matplotlib", "jinja2", "pytest", "requests"):
    assert importlib.util.find_spec(extra) is None, f"{extra} was installed without being asked for"

X, y = load_wine(return_X_y=True, as_frame=True)
assert XNB().fit(X, y).score(X, y) > 0.9
assert ClassSpecificNB().fit(X, y).explain(X[:1]).shape[0] > 0
shapiro_wilk(X)

wine = acquire(DatasetEntry("wine", "bundled", "wine"))
entry = {"method": "xnb"}
write_model(fit_model(wine, entry, cross_validate(wine, entry, 3)), "wine.skops")
assert read_model("wine.skops").classes == ["class_0", "class_1", "class_2"]

compiled = list(Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbc"))
assert compiled, "kernels were not kept"
