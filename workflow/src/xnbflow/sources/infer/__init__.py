"""What the rows and columns of a table are, by the keys of an entry, its names and its texts.

==================== ====================================================================
file                 question
==================== ====================================================================
``table_roles``      which role has each variable, and which keys does the entry lack?
``layout``           are samples the rows or the columns of a table?
``number_format``    how are its numbers written?
``gene_columns``     which of its columns describe genes?
``measures``         which columns have the values, where each sample has several?
``variables``        what is each row or column, by its name and cells?
``feature_block``    which columns of numbers are features?
``name_families``    which names are of the features' families?
``phenotype_file``   which samples of a phenotype file are rows of the table?
``label``            which column is the label?
``classes_in_names`` which class do the names of samples contain?
``class_keys``       which keys do missing labels, spellings and rare classes need?
``column_kinds``     which columns are names, patients, batches, or other phenotype?
``column_keys``      which keys name these columns?
==================== ====================================================================

`xnbflow.sources.infer.table_roles.infer` is what proposals and the reader call. The reader applies
an entry as it is written (`xnbflow.sources.roles`); the other modules complete one.
"""
