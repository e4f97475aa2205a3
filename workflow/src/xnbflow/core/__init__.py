"""Foundations of all packages: errors, compilation, seeds, files and entries.

================= ==================================================================
errors, nouns     How does a message quote values, names and numbers of things?
yaml_text         What do the project's own YAML files contain?
schemas           Does a value from YAML satisfy a JSON schema?
parameters        Which values may a parameter of an estimator have?
entries, plugins  What can a configuration name, and which package provides it?
study             What does the configuration ask of a study?
terms             Which column does a term of ``adjust`` name?
joined_columns    Which columns does a cell name that are examined together?
atomic            How is a file written, so that it is complete or absent?
jit               When is a compiled kernel out of date?
blas              How does BLAS use one thread?
seeds, rounding   Which seed has a job, and which numbers are equal?
software          With which versions were results computed?
================= ==================================================================
"""
