# The package's names for type checkers: at run time each is imported when it is asked for.
from xnbflow.preprocessing.cica import CICA as CICA
from xnbflow.preprocessing.correlation_blocks import CorrelationBlocks as CorrelationBlocks
from xnbflow.preprocessing.filters import ExpressionFilter as ExpressionFilter
from xnbflow.preprocessing.filters import VarianceFilter as VarianceFilter
from xnbflow.preprocessing.imputation import Imputer as Imputer
from xnbflow.preprocessing.mdlp import MDLPDiscretizer as MDLPDiscretizer
from xnbflow.preprocessing.naive_effects import StepwiseNaiveEffects as StepwiseNaiveEffects
from xnbflow.preprocessing.normalisation import CountsPerMillion as CountsPerMillion
from xnbflow.preprocessing.normalisation import Log2 as Log2
from xnbflow.preprocessing.normalisation import QuantileNormalizer as QuantileNormalizer
from xnbflow.preprocessing.normalisation import SampleRanks as SampleRanks
from xnbflow.preprocessing.normalisation import SampleStandardizer as SampleStandardizer
from xnbflow.preprocessing.normalisation import looks_like_counts as looks_like_counts
