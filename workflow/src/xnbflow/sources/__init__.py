"""Where data sets come from: the sheet, readers of files, downloads, and proposals.

* `sheet`, `registry`: rows of the sheet, and the sources with their options
* `acquisition`, `downloads`, `http`: from a row to a checked series; files from elsewhere
* `table_formats`, `delimited`, `header_rows`, `table_file`, `arff`, `program_exports`: text,
  workbooks, Parquet, ARFF and exports of programs as rows; `files`, `cell_texts`: compression,
  encodings and single cells
* `table`, `phenotype`, `h5ad`, `geo`, `cumida`, `genepattern`: contents of files, as a `draft`
* `assembly`: from a draft to a series, by `class_labels`, `intensities`, `missing_values`,
  `merging`, `annotation` and `adjustment`
* `layout`, `plausibility`, `sequencing`, `sample_names`, `workbook_sheets`, `count_folder`: what
  the columns, rows, sheets and values of a table probably are
* `summary`, `geo_summary`: a description for the user, and a proposed row of the sheet
"""
