"""The page: blocks, their HTML, figures and style, independent of studies.

================  =====================================================================
``blocks``        What can a section contain?
``page``          How do sections become HTML files? The ``templates`` have the elements.
``environment``   Which templates and scripts has every page?
``charts``        Which figures are charts in a browser, and with which numbers?
``gene_content``  How are all features of a series packed?
``glossary``      Which terms have their meaning under the pointer?
``library``       Which drawing library has the page, and by which digest?
``style``         Which colours, fonts and sizes do figures have?
================  =====================================================================
"""
