"""The tables of a study, computed in the stage *compare*."""
