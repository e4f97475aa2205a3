"""Code of a user with a mistake of types in each line, which a type checker finds."""

from xnbflow.naive_bayes import XNB, GaussianNB
from xnbflow.naive_bayes.modules import curves  # noqa: F401
from xnbflow.naive_bayes.xnb import NoSuchNB  # noqa: F401

XNB(n_grid="fifty")
XNB(no_such_parameter=1)
GaussianNB().fit(object(), [0])
