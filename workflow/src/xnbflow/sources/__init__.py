"""Where data sets come from: entries, places, formats, roles, series, and proposals.

An entry of the configuration becomes a data set in one pass::

    entry -> acquire -> a source -> places -> formats -> roles -> series -> data set

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
``orientation``              which rows and columns of it are samples, and which variables?
``roles``                    what is each variable, by the entry?
``annotation``,              which gene does a probe measure, and of which array is it?
``platforms``
``series``                   how do values, labels and names become a data set?
``infer``                    which columns of a table are features, by names and values?
``proposal``                 what does a file probably contain, and which entry fits it?
============================ =============================================================

Each package begins with the questions of its files.

A new format of tables is a module of ``formats`` with a function that returns a ``TextTable``, and
its ending in ``formats.opening.read_raw_table``. A format that declares which columns describe
samples names them in ``TextTable.described``. Orientation, roles, phenotypes, keys, refusals of
wrong cells and proposals follow. A rule that refuses raises an `xnbflow.core.errors.InputError`
whose ``key`` is the key of the entry that answers it.
"""
