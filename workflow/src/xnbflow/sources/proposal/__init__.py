"""What a file probably contains, and the entry that fits it.

A proposal is an entry: `xnbflow.sources.infer.table_roles.infer` completes it, and obeys it as it
obeys that of a user.

=================== ====================================================================
file                question
=================== ====================================================================
``table_summary``   which entry reads this table?
``geo_summary``     which entry reads this series of GEO, and which field is its label?
``summary``         what does a user see of a file and its proposal?
``reading_keys``    by which keys can its files be read?
``workbook_sheets`` which sheet of a workbook has the values, and which the samples?
``series_keys``     which keys does a series need between the steps of the reader?
``scale``           on which scale are the values, and which transform fits it?
``entry_text``      how is an entry written, with the reason of each key?
``reasons``         why has the entry each key?
=================== ====================================================================
"""
