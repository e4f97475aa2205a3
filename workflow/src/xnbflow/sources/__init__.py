"""Where data sets come from: the sheet, readers of files, downloads, and proposals.

============================= ============================================================
file                          question
============================= ============================================================
``sheet``, ``registry``       which rows has the sheet, and which options has a source?
``acquisition``               how does a row become a checked series?
``places``                    from which place does a file come, and is it the right one?
``files``, ``cell_texts``     is a file data, and is a cell a number, a text or missing?
``memory``                    how much memory is free for reading?
``delimited``, ``arff``,      which rows and cells has a file of this format?
``table_formats``,
``workbook_process``
``table_file``                how do cells become numbers, and where is a wrong one?
``header_rows``               which of the first rows is the header?
``table``, ``h5ad``,          which samples, features and labels does a file contain (as a
``anndata_file``, ``geo``,    ``draft``)?
``geo_head``, ``cumida``,
``genepattern``, ``bundled``,
``simulate``
``phenotype``                 which row of a sample sheet belongs to which sample?
``assembly``                  how does a draft become a series, by ``class_labels``,
                              ``sample_columns``, ``intensities``, ``missing_values``,
                              ``merging``, ``annotation`` and ``adjustment``?
``layout``,                   what are the columns, rows and sheets of a table probably?
``workbook_sheets``
``plausibility``,             what do names and values probably mean?
``sequencing``,
``sample_names``
``platforms``                 of which array are the probes of a table?
``program_exports``,          how does an export of a program, or a folder of one-sample
``count_folder``              files, become a table?
``summary``, ``geo_summary``  what does a file contain, and which row of the sheet fits it?
============================= ============================================================
"""
