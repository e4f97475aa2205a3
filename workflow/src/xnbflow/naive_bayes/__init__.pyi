# The package's names for type checkers: at run time each is imported when it is asked for.
from xnbflow.naive_bayes.base import BaseNaiveBayes as BaseNaiveBayes
from xnbflow.naive_bayes.block import BlockNB as BlockNB
from xnbflow.naive_bayes.class_specific import XNB as XNB
from xnbflow.naive_bayes.class_specific_cv import ClassSpecificNBCV as ClassSpecificNBCV
from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB as ClassSpecificNB
from xnbflow.naive_bayes.discretized import DiscretizedNB as DiscretizedNB
from xnbflow.naive_bayes.flexible import FlexibleNB as FlexibleNB
from xnbflow.naive_bayes.gaussian import GaussianNB as GaussianNB
from xnbflow.naive_bayes.generalized import GeneralizedNB as GeneralizedNB
from xnbflow.naive_bayes.hybrid import HybridNB as HybridNB
from xnbflow.naive_bayes.regression import KernelNBRegressor as KernelNBRegressor
from xnbflow.naive_bayes.selective import SelectiveNB as SelectiveNB
from xnbflow.naive_bayes.von_mises import VonMisesFisherNB as VonMisesFisherNB
from xnbflow.naive_bayes.von_mises import VonMisesNB as VonMisesNB
