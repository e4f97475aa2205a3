"""Sections of the report, one file each with a function ``section(results) -> Section | None``.

===============  ======================================================================
``answer``       Which genes, how sure, what next?
``genes``        Which features differ between the classes, without a classifier?
``audit``        May something else than the class explain the result?
``signature``    What does the model of all samples use?
``validation``   Does the model hold in a second cohort?
``cohorts``      Do models and genes hold in several series?
``context``      Are random genes as good, and would more samples help?
``explanation``  Which features does each class have, and how stable are they?
``samples``      Which samples are wrong, and why?
``accuracy``     How accurate is each classifier?
``comparison``   Do classifiers differ by more than chance?
``diagnostics``  Do the assumptions of naive Bayes hold?
``overview``     What was run, and with which versions?
``methods``      How is the study repeated and cited?
===============  ======================================================================
"""
