"""Where data sets come from: the sheet, readers of files, downloads, and proposals.

| file | question |
|---|---|
| `sheet`, `registry`, `sample_columns` | What does a row of the sheet have, and which options? |
| `acquisition`, `downloads`, `http`, `retries`, `files` | How does a row become a checked series? |
| `table_formats`, `delimited`, `header_rows`, `table_file`, `arff` | What are a file's cells? |
| `table`, `phenotype`, `h5ad`, `geo`, `cumida`, `genepattern` | What is a feature, what a sample? |
| `assembly`, `draft` | from a file's contents to a series |
| `class_labels`, `intensities`, `missing_values`, `merging` | its steps |
| `annotation`, `adjustment` | symbols, and columns to adjust for |
| `count_folder`, `program_exports` | files that are converted to a table first |
| `layout`, `plausibility`, `sequencing`, `sample_names`, `workbook_sheets` | what columns are |
| `summary`, `geo_summary` | a description for the user, and a proposed row of the sheet |
"""
