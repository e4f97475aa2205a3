"""The data set in memory: features, samples, labels and matrices.

============= ==================================================================
dataset       What is a data set, and is it complete and consistent?
series_file   How is a data set read from its file, whole or by row groups?
samples       Which tables, arrays and AnnData are accepted as samples?
labels        Which labels are accepted, and which code has each class?
columns       Which columns does a parameter name, and can they be computed with?
matrices      How are features, or some of them, read in parts?
gene_names    Is the name of a feature a gene symbol, and of how many genes?
controls      Which class is the control, and which of two classes is shown?
class_design  Which linear model compares the classes of a feature?
read_counts   Which counts of reads suffice, and how are they normalised?
series_seed   Which seed has a random step of a data set?
============= ==================================================================
"""
