"""Figures as charts: functions of plain numbers and text that return marks, axes and texts.

``marks`` has the classes of a chart, ``numbers`` the numbers under the pointer. The others import
only these, numpy and the style; `xnbflow.report.page.charts` and `xnbflow.report.static` draw.

=================  ====================================================================
``calibration``    Are probabilities right, and do they order the samples (ROC)?
``components``     Which samples are alike?
``densities``      How does a feature differ between classes, and between cohorts?
``gene``           Which values does a feature have, by class, batch and patient?
``heatmap``        Do the features of a signature go together?
``histograms``     Are features normal and independent?
``lines``          How does a number change with a size or step?
``matrix``         Which class is taken for which, which feature is selected for which?
``probabilities``  Which samples are uncertain or wrong?
``ranks``          Do classifiers differ over data sets?
``rows``           How large is a number, with its interval, in each row?
``sample_values``  Does a sample differ from the others in its values or its reads?
``volcano``        Which features differ?
=================  ====================================================================
"""
