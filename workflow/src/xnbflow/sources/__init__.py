"""Where data sets come from: each source turns a row of the sheet into a `DataSet`."""
