"""What the methods of the analysis of single cells are called."""

__all__ = ["ALL_GENES", "CSNB", "NS_FOREST", "SCANPY", "WILCOXON", "XNB_PUBLISHED"]

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
WILCOXON = "Wilcoxon"
SCANPY = "Wilcoxon by scanpy"
NS_FOREST = "NS-Forest"
ALL_GENES = "all genes"
