"""Models for use: fitted on all samples, stored in a file, applied to new samples.

=========================== ==========================================================
file                        question
=========================== ==========================================================
``final``                   what is kept of a classifier that is fitted to all samples?
``trained``                 what is a model, and how is it fitted and cross-validated?
``pipelines``               which features does a pipeline use, and can it explain?
``signature``               which genes are high or low in a class?
``typicality``              is a sample unlike the training samples?
``model_file``              how is a model written and read?
``saving``                  how does a classifier fitted in Python become a file?
``permitted_types``         which objects may a model's file contain?
``reading``                 how are samples with labels read?
``new_samples``             how are samples to predict read?
``scale_of_samples``        are new samples on the scale of the training data?
``alignment``               how does a table become a model's input?
``prediction``              which class has a sample, and how sure is that?
``prediction_notes``        what makes predictions unreliable?
``explanation``             which genes are for and against a class in one sample?
``agreement``               how many samples are predicted as their label?
``matching``                which features of several cohorts are the same?
``validation``              does a model hold in a second cohort?
``signature_overlap``       do two cohorts select the same features?
``cohorts``                 do models hold across several series of one question?
=========================== ==========================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xnbflow.models.model_file import read_model, write_model
    from xnbflow.models.prediction import predict_table
    from xnbflow.models.saving import load_model, save_model
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
    "load_model",
    "predict_table",
    "read_model",
    "save_model",
    "signature_table",
    "write_model",
]

#: The module of each public name: a job that trains classifiers imports none of them.
_MODULES = {
    "TrainedModel": "trained",
    "Typicality": "typicality",
    "compare_signatures": "signature_overlap",
    "cross_validate": "trained",
    "fit_model": "trained",
    "gene_sets": "signature",
    "load_model": "saving",
    "predict_table": "prediction",
    "read_model": "model_file",
    "save_model": "saving",
    "signature_table": "signature",
    "write_model": "model_file",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
