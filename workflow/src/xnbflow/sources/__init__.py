"""Where data sets come from: entries, places, formats, roles, series, and proposals.

An entry of the configuration becomes a data set in one pass::

    entry -> acquire -> a source -> places -> formats -> infer -> series -> data set

============================ =============================================================
file                         question
============================ =============================================================
``dataset_entry``,           what does the configuration have of a data set, and which keys
``registry``                 has a source?
``acquire``                  how does an entry become a checked data set?
``table``, ``geo``,          what does this source read? (one module for each entry of the
``cumida``, ``microarray``,  registry, with a function ``load``)
``bundled``, ``simulate``
``places``                   from which folder or server does a file come?
``formats``                  which names and cells has a file of this format? (a
                             ``TextTable``)
``table_files``              what have the files of a table entry, the table and its phenotype?
``infer``                    what are its rows and columns, by the entry or by what it shows?
``roles``                    what is each variable, by the entry?
``annotation``,              which gene does a probe measure, and of which array is it?
``platforms``
``series``                   how do values, labels and names become a data set?
``proposal``                 what does a user see of a file, and which entry fits it?
============================ =============================================================

Each package begins with the questions of its files.

A new format of tables is a module of ``formats`` with a function that returns a ``TextTable``, and
its ending in ``formats.opening.read_text_table``. A format that declares which columns describe
samples names them in ``TextTable.described``. Orientation, roles, phenotypes, keys, refusals of
wrong cells and proposals follow. A rule that refuses raises an `xnbflow.core.errors.InputError`
whose ``key`` is the key of the entry that answers it.
"""
