"""Cases of this study for the tests of all estimators, see `paper_cases`."""

from model_files import with_holes

from xnbflow.papers.signatures import compute

CALLS = {"'signatures' takes no missing": lambda: compute.analyse({"toy": with_holes()}, {}, 1)}
