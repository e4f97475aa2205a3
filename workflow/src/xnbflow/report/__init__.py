"""The report: sections of blocks (text, tables, figures) on one self-contained page per study.

====================  ==========================================================================
``outline``           Which sections does a study have, and on which page?
``results``           Where is a table of the study, and which rows of it?
``sections``          What does a chapter of the page contain? One file each.
``cards``             What does the first screen of a data set show?
``levels``            Which levels of support are there, and how are they shown?
``next_steps``        What should the reader do next?
``sentences``         How well is a result supported, in words?
``texts``             Which long texts are constant (``texts.toml``)?
``numbers``           How are p-values, counts and lists of words written?
``drawings``          Which marks, axes and texts has a figure? Charts as plain data.
``page``              How do blocks become HTML, and charts JSON for the browser?
``static``            How does matplotlib draw a chart, for files and print?
``figure_files``      Which files do figures have, beside a page and for print?
``manuscript``        What are the methods in words, and the cited works?
``study_page``        Which files does the job *report* write, and how are they read again?
``index``             Which studies are there?
``workbook``          Which sheets does ``xnbflow export`` write?
====================  ==========================================================================
"""
