"""Selection of features that distinguish a class from the others.

=============== ==================================================================
class_features  Which features does the XNB paper select for a class?
covering        Which is the smallest set that separates a class? (an integer program)
pair_strengths  How strongly does a feature separate two classes, in nats?
pair_rankings   In which order does ClassSpecificNB take features, and which are equal?
=============== ==================================================================
"""
