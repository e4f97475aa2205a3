"""The tables of a study, put together in the stage *compare*."""
