"""Single features of a data set by the design of a study: the tables of the job *genes*.

A classifier does not depend on these tables.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from xnbflow.core.study import Design
from xnbflow.data.controls import control_class
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.adjustment import (
    adjusted_columns,
    check_design,
    design_notes,
    missing_covariates,
)
from xnbflow.diagnostics.contrasts import contrast_table
from xnbflow.diagnostics.explained_features import explained_features
from xnbflow.diagnostics.gene_set_tests import (
    contrast_set_tests,
    gene_set_notes,
    gene_set_tests,
)
from xnbflow.diagnostics.gene_values import first_features, gene_values
from xnbflow.diagnostics.genes import gene_table
from xnbflow.diagnostics.heatmap import heatmap
from xnbflow.diagnostics.modelled_features import variance_model
from xnbflow.tables.contract import GROUPS

#: Number of features whose values a page can show.
_FEATURES_SHOWN = 2000
#: Number of samples that a page can show.
_SAMPLES_SHOWN = 400
#: Number of features of the heat map.
_HEATMAP_FEATURES = 24


def gene_tables(
    series: DataSet, design: Design, sets: Mapping[str, set[str]] | None = None
) -> dict[str, pd.DataFrame]:
    """Return the tables of the group ``genes`` of the contract.

    ``sets`` are the genes of each gene set by its name; without them no set is tested. The tests
    have no files of the sets; see `xnbflow.diagnostics.gene_set_files.with_files`.

    Raises
    ------
    InputError
        If a column or class of the design is not in the series, or no comparison can be adjusted
        for a column.
    """
    check_design(series, design)
    sets = sets or {}
    notes = [*design_notes(series, design), *gene_set_notes(series, sets)]
    set_tests = [gene_set_tests(series, sets, design), contrast_set_tests(series, sets, design)]
    tested = [table for table in set_tests if len(table)]
    genes = gene_table(series, design)
    genes["explained_by"] = explained_features(series, design, genes)
    contrasts = contrast_table(series, design)
    logarithms = with_log_counts(series)
    first = first_features(genes, _FEATURES_SHOWN)
    return {
        "genes": genes,
        "contrasts": contrasts,
        "gene_set_tests": pd.concat(tested, ignore_index=True) if tested else set_tests[0],
        "gene_heatmap": heatmap(genes, logarithms, n_features=_HEATMAP_FEATURES),
        "gene_values": gene_values(logarithms, first, _SAMPLES_SHOWN),
        "design": _design_table(series, design, notes),
    }


def _design_table(series: DataSet, design: Design, notes: Sequence[str]) -> pd.DataFrame:
    """Return how the features of a series were compared, one row."""
    missing = list(missing_covariates(series, design).values())
    left_out = int(np.any(missing, axis=0).sum()) if missing else 0
    row = {
        "control": control_class(series.classes, design.reference),
        "adjusted": ", ".join(adjusted_columns(series, design)),
        "groups": "" if series.groups is None else design.repeated,
        "variance": variance_model(series, design),
        "samples": series.n_samples - left_out,
        "left_out": left_out,
        "notes": "\n".join(notes),
    }
    return pd.DataFrame([row])[GROUPS["genes"].tables["design"].fixed]
