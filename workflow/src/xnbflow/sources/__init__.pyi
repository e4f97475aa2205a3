# The package's names for type checkers: at run time each is imported when it is asked for.
from xnbflow.sources.acquisition import acquire as acquire
from xnbflow.sources.cumida import write_cumida_csv as write_cumida_csv
from xnbflow.sources.dataset import DataSet as DataSet
from xnbflow.sources.sheet import read_sheet as read_sheet
from xnbflow.sources.simulate import write_truth as write_truth
