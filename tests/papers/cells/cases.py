"""Cases of this study for the tests of all estimators, see `paper_cases`."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
from model_files import two_classes, with_holes

from xnbflow import naive_bayes as nb
from xnbflow.papers.cells import compute
from xnbflow.papers.cells.ranked_genes import rank_genes_groups

SERIES = two_classes()
FITTED = nb.ClassSpecificNB(n_features=2).fit(SERIES.frame(), SERIES.labels)
UNNAMED = nb.GaussianNB().fit(SERIES.values.T, SERIES.labels)
NOTHING_CHOSEN = SimpleNamespace(feature_names_in_=["g0"], classes_=np.array(["a"]), columns_=[[]])
OBS = pd.DataFrame({"type": SERIES.labels})
CELLS = SimpleNamespace(X=SERIES.values.T, obs=OBS, var_names=list("abcdefgh"))

CALLS = {
    "was fitted without names of genes": lambda: rank_genes_groups(UNNAMED, "type"),
    "no class has a gene that": lambda: rank_genes_groups(NOTHING_CHOSEN, "type"),
    "has no gene 'g0'; give all": lambda: rank_genes_groups(FITTED, "type", samples=CELLS),
    "'cells' takes no missing": lambda: compute.analyse({"toy": with_holes()}, {}, 1),
}
