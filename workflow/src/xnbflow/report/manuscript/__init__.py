"""Texts for papers: paragraphs, references, checklists, model cards.

==============  ==================================================================
``paragraphs``  What are methods and results in words? Variables of the ``templates``.
``references``  How is a work cited in words, in LaTeX, BibTeX and CSL?
``writer``      Which files does ``xnbflow manuscript`` write?
==============  ==================================================================
"""
