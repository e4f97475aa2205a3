"""From a file to a `TextTable`: one module for each format.

==================== =====================================================================
file                 question
==================== =====================================================================
``text_table``       which names and cells has a table, and where is each of them?
``opening``          which format has a file, by its ending?
``text_lines``       which encoding, separator and decimal sign has a text?
``text``             which header and rows has it?
``header_rows``      which of the first rows is the header?
``workbook``         which rows has a sheet of a workbook?
``parquet``          which columns has a Parquet file?
``arff``             which attributes and rows has a file of Weka?
``gct``              which values and classes have GenePattern's GCT and CLS?
``geo_head``         how does GEO describe a series and its samples?
``geo_table``        which values has a series matrix or a curated data set (GDS)?
``h5ad``             which texts of samples and which features has a file of AnnData?
``program_exports``  is a table an export of a laboratory program, or long?
``count_folder``     how does a folder with a file for each sample become a table?
``files``            is a file data, and is it whole?
``cell_texts``       is a cell a number, a text, a date or missing?
==================== =====================================================================
"""
