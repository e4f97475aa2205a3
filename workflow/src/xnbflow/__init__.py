"""Class-specific naive Bayes and its relatives, for microarrays and other wide data.

The package is built in floors; each imports only those below it::

    report > analyses > evaluation > naive_bayes > preprocessing > selection
           > diagnostics > distributions > density > sources > series
"""

__version__ = "0.1.0"
