"""Class-specific naive Bayes and its relatives, for microarrays and other wide data.

All classifiers and transformers are scikit-learn estimators and can be imported from here;
``dir(xnbflow)`` lists them, those of the papers included.

===================== ===========================================================================
`ClassSpecificNBCV`   recommended: chooses by an inner cross-validation how many features each
                      class has, and calibrates the probabilities
`ClassSpecificNB`     features of each class, without an inner cross-validation
`XNB`                 the explainable class-specific naive Bayes as published
`FlexibleNB`          naive Bayes with kernel densities
`GaussianNB`          naive Bayes with normal densities
`ShrunkenCentroids`   nearest shrunken centroids (PAM)
===================== ===========================================================================

`xnbflow.models` writes fitted classifiers to files and reads them (`save_model`, `load_model`),
`xnbflow.diagnostics` tests single features. Each package imports only packages below it in the
table of ``workflow/README.md``.

Examples
--------
A classifier in a pipeline, and why it predicts the class of a sample. ``set_output`` keeps the
names of the features between the steps:

>>> from sklearn.datasets import load_wine
>>> from sklearn.pipeline import make_pipeline
>>> from xnbflow import ClassSpecificNBCV, Imputer
>>> X, y = load_wine(return_X_y=True, as_frame=True)
>>> model = make_pipeline(Imputer(), ClassSpecificNBCV()).set_output(transform="pandas")
>>> bool(model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9)
True
>>> sample = model[:-1].transform(X[:1])
>>> evidence = model[-1].explain(sample)  # a row per sample, class and feature of the class
>>> list(evidence.columns)
['sample', 'class', 'feature', 'evidence']
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xnbflow.naive_bayes import *  # noqa: F403
    from xnbflow.preprocessing import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import an estimator on first use, since most jobs need none (PEP 562)."""
    if name[:1].isupper():
        from xnbflow import naive_bayes, preprocessing  # noqa: PLC0415

        package = preprocessing if name in preprocessing.__all__ else naive_bayes
        return getattr(package, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    """Return the names of all estimators, of which those of papers are imported on first use."""
    from xnbflow import naive_bayes, preprocessing  # noqa: PLC0415
    from xnbflow.core.plugins import shipped_estimators  # noqa: PLC0415

    estimators = {*naive_bayes.__all__, *preprocessing.__all__, *shipped_estimators()}
    return [*sorted(estimators), "__version__"]
