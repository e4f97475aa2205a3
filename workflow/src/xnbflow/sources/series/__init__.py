"""From a `TextTable` with roles to a `DataSet`, step by step.

===================== =====================================================================
file                  question
===================== =====================================================================
``steps``             in which order do the keys of a data set apply?
``features``          which names, kinds and annotation have the features?
``samples``           which names, columns, labels and groups have the samples?
``phenotype``         which columns has a phenotype file, and which of its rows is a sample?
``name_matching``     which names of two files are spellings of one sample?
``class_labels``      which label has a sample, by its text?
``label_spellings``   which texts are spellings of one class?
``table_values``      which values have they, and which rows and columns are neither?
``inferred_keys``     which keys does a proposal infer between the steps?
``scale_recognition`` on which scale are the values (`scales`)?
``value_numbers``     which numbers of a table show its scale?
``reads``             are values reads, or relative to the library?
``threshold_cycles``  are values threshold cycles of PCR?
``logarithm_base``    which base have logarithms, if the values show it?
``feature_names``     which names of features are identifiers, symbols, controls, tallies?
``sample_names``      which names of samples are files, barcodes, patients?
``intensities``       how are values transformed to logarithms?
``missing_values``    what becomes of missing values?
``merging``           what becomes of features of one name or gene?
``column_meaning``    what do names and values of columns probably mean?
===================== =====================================================================
"""
