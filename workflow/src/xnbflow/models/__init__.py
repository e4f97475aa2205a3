"""Models that are used: fitted on all samples, kept in a file, applied to the next patient."""

from xnbflow.data.lazy import lazy_names

_HOME = {
    "TrainedModel": "trained",
    "Typicality": "typicality",
    "compare_signatures": "validation",
    "cross_validate": "trained",
    "fit_model": "trained",
    "gene_sets": "signature",
    "predict_table": "prediction",
    "read_model": "file",
    "signature_table": "signature",
    "write_model": "file",
}

__all__ = [
    "TrainedModel",
    "Typicality",
    "compare_signatures",
    "cross_validate",
    "fit_model",
    "gene_sets",
    "predict_table",
    "read_model",
    "signature_table",
    "write_model",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
