"""Naive Bayes classifiers, one file each, on one small base class; and one baseline, k-TSP."""

from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.block import BlockNB
from xnbflow.naive_bayes.class_specific import XNB
from xnbflow.naive_bayes.class_specific_cv import ClassSpecificNBCV
from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB
from xnbflow.naive_bayes.discretized import DiscretizedNB
from xnbflow.naive_bayes.flexible import FlexibleNB
from xnbflow.naive_bayes.gaussian import GaussianNB
from xnbflow.naive_bayes.generalized import GeneralizedNB
from xnbflow.naive_bayes.hybrid import HybridNB
from xnbflow.naive_bayes.regression import KernelNBRegressor
from xnbflow.naive_bayes.selective import SelectiveNB
from xnbflow.naive_bayes.top_scoring_pairs import TopScoringPairs
from xnbflow.naive_bayes.von_mises import VonMisesFisherNB, VonMisesNB

__all__ = [
    "XNB",
    "BaseNaiveBayes",
    "BlockNB",
    "ClassSpecificNB",
    "ClassSpecificNBCV",
    "DiscretizedNB",
    "FlexibleNB",
    "GaussianNB",
    "GeneralizedNB",
    "HybridNB",
    "KernelNBRegressor",
    "SelectiveNB",
    "TopScoringPairs",
    "VonMisesFisherNB",
    "VonMisesNB",
]
