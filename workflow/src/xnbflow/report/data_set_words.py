"""Words of a page for a data set: gene, probe or feature; patient or group; its accession of GEO.

The words come from the settings of the data set in the configuration, and from its table of genes.
"""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from xnbflow.sources.platforms import are_probes

#: Sources that have expression series only.
_EXPRESSION = ("cumida", "microarray", "geo")
#: Words for the units of which several samples are taken, in names of columns.
_UNITS = ("patient", "donor", "subject", "individual", "participant", "animal", "family")
#: Accession of a series or curated data set of GEO.
_ACCESSION = re.compile(r"(GSE\d+(-GPL\d+)?|GDS\d+)(?!\d)")
#: Names of features that are compared with those of probes; more decide nothing.
_ENOUGH_NAMES = 1000


def feature_noun(settings: Mapping[str, Any], genes: pd.DataFrame) -> str:
    """Return the word for a feature of a data set.

    It is "gene" if the data set comes from a repository of expression series, or has features with
    symbols, or values that are logarithms; "probe" if these have names of an array's probes;
    otherwise "feature".

    Parameters
    ----------
    settings : mapping
        The keys of the data set in the configuration.
    genes : DataFrame
        The table ``genes`` of the data set, or its columns ``feature``, ``symbol`` and
        ``log_fold_change``.

    Examples
    --------
    >>> genes = pd.DataFrame({"feature": ["ash"], "symbol": [""], "log_fold_change": [None]})
    >>> feature_noun({"source": "table"}, genes), feature_noun({"source": "geo"}, genes)
    ('feature', 'gene')
    """
    is_of_expression = (
        settings.get("source") in _EXPRESSION
        or (genes["symbol"] != "").any()
        or genes["log_fold_change"].notna().any()
    )
    if not is_of_expression:
        return "feature"
    return "probe" if are_probes(genes["feature"][:_ENOUGH_NAMES]) else "gene"


def unit_noun(settings: Mapping[str, Any]) -> str:
    """Return the word for a group of samples: that in the name of the column, or "group".

    Examples
    --------
    >>> unit_noun({"group": "Patient ID"}), unit_noun({"group": {"column": "plate"}})
    ('patient', 'group')
    """
    group = settings.get("group", "")
    column = str(group.get("column", "") if isinstance(group, Mapping) else group)
    words = re.findall(r"[a-z]+", column.lower())
    return next((word for word in words if word in _UNITS), "group")


def accession(settings: Mapping[str, Any]) -> str:
    """Return the accession of a GEO series in the place of a data set; empty without one.

    Examples
    --------
    >>> accession({"file": "resources/GSE45827_series_matrix.txt.gz"})
    'GSE45827'
    """
    places = " ".join(str(settings.get(key, "")) for key in ("accession", "file", "url"))
    match = _ACCESSION.search(places)
    return match[0] if match else ""
