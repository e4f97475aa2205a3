"""One folder for each further paper: estimators, study, drawings, tables and configuration.

The core does not import these packages. Each has a file ``entry_points.txt``, in the form in which
an installed plugin declares its entry points, and a module ``entries`` with these entries.
"""
