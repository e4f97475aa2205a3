"""What the rules ask of a configuration: a planner for each stage.

A rule contains its paths; a planner has the names that are put into them, and the parameters of
the jobs. Its methods take the wildcards of a job, for example ``dataset="wine"``.

| planner | rules |
|---|---|
| `targets` | *all* and the rules of studies |
| `acquire` | *seek*, *acquire* |
| `diagnose` | *diagnose*, *genes* |
| `train` | *classify*, *check*, *models* |
| `study` | *compare*; *report* reads the files of the same jobs |
| `cohorts` | *validate*, *combine* |
| `report` | *analyse*, *report* |

`inputs` has the functions that put names into paths.
"""
