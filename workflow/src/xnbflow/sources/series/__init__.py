"""From a `TextTable` and roles to a data set, step by step.

===================== =====================================================================
file                  question
===================== =====================================================================
``contents``          which values, texts and names have the features and samples?
``phenotype``         which row of a phenotype file belongs to which sample?
``raw_series``        what is known of a series between two steps?
``steps``             in which order do the keys of a data set apply?
``inferred_keys``     which keys does a proposal infer between the steps?
``class_labels``      which label has a sample, by its text?
``sample_columns``    which column of the samples does a key name?
``scale_recognition`` on which scale are the values (`scales`)?
``value_numbers``     which numbers of a table show its scale?
``reads``             are values reads, or relative to the library?
``threshold_cycles``  are values threshold cycles of PCR?
``logarithm_base``    which base have logarithms, if the values show it?
``sequencing``        is it a table of RNA-seq, and in which unit?
``intensities``       how are values transformed to logarithms?
``missing_values``    what becomes of missing values?
``merging``           what becomes of features of one name or gene?
``plausibility``      what do names and values of columns probably mean?
===================== =====================================================================
"""
