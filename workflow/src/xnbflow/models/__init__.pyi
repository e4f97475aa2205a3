# The package's names for type checkers: at run time each is imported when it is asked for.
from xnbflow.models.file import read_model as read_model
from xnbflow.models.file import write_model as write_model
from xnbflow.models.prediction import predict_table as predict_table
from xnbflow.models.signature import gene_sets as gene_sets
from xnbflow.models.signature import signature_table as signature_table
from xnbflow.models.trained import TrainedModel as TrainedModel
from xnbflow.models.trained import cross_validate as cross_validate
from xnbflow.models.trained import fit_model as fit_model
from xnbflow.models.typicality import Typicality as Typicality
from xnbflow.models.validation import compare_signatures as compare_signatures
