"""Rerun of Tables 1 and 2 of the XNB paper: the printed numbers beside ours."""
