"""Where Snakemake's own report shows a figure: by data set, and by what its name says."""

from collections.abc import Sequence

__all__ = ["figure_labels"]

#: What stands for the data set of a figure that shows several, or none.
OF_ALL = "all data sets"


def figure_labels(
    figure: str, datasets: Sequence[str], folds: Sequence[str], classifiers: Sequence[str]
) -> dict[str, str]:
    """Return what a figure shows, by its name.

    Parameters
    ----------
    figure : str
        Its kind and, as far as it is of one, a data set, scheme of folds, classifier and number,
        with hyphens between them.
    datasets, folds, classifiers : sequence of str
        The ids of the study's.

    Returns
    -------
    dict of str to str
        ``data set``, ``figure``, ``folds``, ``classifier`` and ``number``; all but the first two
        are empty where the figure is not of one.

    Examples
    --------
    >>> labels = figure_labels("density-wine-10-fold-xnb-07", ["wine"], ["10-fold"], ["xnb"])
    >>> list(labels.values())
    ['wine', 'density', '10-fold', 'xnb', '07']
    >>> figure_labels("trade-off", ["wine"], ["10-fold"], ["xnb"])["data set"]
    'all data sets'
    """
    kind, dataset, rest = _parted(figure, datasets, 1)
    if dataset:
        before, scheme, after = _parted(rest, folds)
        rest = after if scheme else before
    else:
        kind, scheme, rest = _parted(figure, folds, 1)
    before, classifier, after = _parted(rest, classifiers)
    return {
        "data set": dataset or OF_ALL,
        "figure": kind,
        "folds": scheme,
        "classifier": classifier,
        "number": after if classifier else before,
    }


def _parted(text: str, names: Sequence[str], least: int = 0) -> tuple[str, str, str]:
    """Return what stands before and after the longest of some names in a text, between hyphens.

    Before it there are ``least`` characters or more.
    """
    for name in sorted(names, key=len, reverse=True):
        found = f"-{text}-".find(f"-{name}-", least)
        if found >= 0:
            return text[: max(0, found - 1)], name, text[found + len(name) + 1 :]
    return text, "", ""
