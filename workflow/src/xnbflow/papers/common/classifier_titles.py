"""Titles of classifiers that several papers compare, as their tables and figures name them."""

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
