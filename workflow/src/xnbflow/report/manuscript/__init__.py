"""Texts of a page for a manuscript: the methods in words, and the cited works.

==============  ==================================================================
``paragraphs``  What are the methods in words? Variables of the template.
``references``  How is a work cited in words and in BibTeX?
==============  ==================================================================
"""
