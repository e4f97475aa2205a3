# The package's names for type checkers: at run time each is imported when it is asked for.
from xnbflow.data.sources.acquisition import acquire as acquire
from xnbflow.data.sources.cumida import write_cumida_csv as write_cumida_csv
from xnbflow.data.sources.sheet import read_sheet as read_sheet
from xnbflow.data.sources.sheet_row import SheetRow as SheetRow
from xnbflow.data.sources.simulate import write_truth as write_truth
