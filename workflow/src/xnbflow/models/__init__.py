"""Models for use: fitted on all samples, stored in a file, applied to new samples."""

from xnbflow.models.model_file import read_model, write_model
from xnbflow.models.prediction import predict_table
from xnbflow.models.signature import gene_sets, signature_table
from xnbflow.models.signature_overlap import compare_signatures
from xnbflow.models.trained import TrainedModel, cross_validate, fit_model
from xnbflow.models.typicality import Typicality

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
