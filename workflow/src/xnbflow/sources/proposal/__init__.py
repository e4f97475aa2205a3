"""What a file probably contains, and the row of the sheet that fits it.

A proposal is a set of options: `xnbflow.sources.roles` obeys it as it obeys those of a user.

=================== ====================================================================
file                question
=================== ====================================================================
``layout``          what are the rows and columns of a table probably?
``summary``         which column is the label, and which options does the table need?
``sample_names``    which class do the names of samples contain?
``workbook_sheets`` which sheet of a workbook has the values, and which the samples?
``geo_summary``     which field of a series of GEO is the label?
=================== ====================================================================
"""
