"""Naive Bayes classifiers, one file each, on one small base class; and one baseline, k-TSP."""

from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB
from xnbflow.naive_bayes.class_specific_nb_cv import ClassSpecificNBCV
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.naive_bayes.gaussian_nb import GaussianNB
from xnbflow.naive_bayes.xnb import XNB
from xnbflow.papers.cica.regression import KernelNBRegressor
from xnbflow.papers.directional.discretized_nb import DiscretizedNB
from xnbflow.papers.directional.hybrid_nb import HybridNB
from xnbflow.papers.directional.selective_nb import SelectiveNB
from xnbflow.papers.directional.von_mises_nb import VonMisesFisherNB, VonMisesNB
from xnbflow.papers.generalized.generalized_nb import GeneralizedNB
from xnbflow.papers.separation.block_nb import BlockNB
from xnbflow.papers.signatures.top_scoring_pairs import TopScoringPairs

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
