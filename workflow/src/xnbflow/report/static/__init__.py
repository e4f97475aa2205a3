"""Static figures: charts drawn by matplotlib, for files and print.

===========  ===================================================
``files``    How is a chart written as SVG, PDF and PNG?
``layout``   Where are the panels, axes, names and legends?
``artists``  How is each kind of mark drawn?
``room``     How much room do names and legends need?
===========  ===================================================
"""
