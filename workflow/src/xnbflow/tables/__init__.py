"""Tables as files: the contract of paths and columns, the one writer and the one reader.

=============== ==================================================================
tables.toml     Which tables are there, and which columns does each have?
contract        What is the path of a file, and which rule writes it for which study?
storage         How is a table checked, written and read?
parquet         Is a Parquet file intact, and is it the file of this place?
=============== ==================================================================
"""
