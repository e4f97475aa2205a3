"""The tables of a study, computed in the stage *compare*.

| file | question |
|---|---|
| `study_reader` | the files of a study, read by jobs, page and commands |
| `study_tables` | all tables, from the files of data sets and classifiers |
| `study_overview` | What are the data sets, and which fits failed? |
| `fold_scores`, `comparison` | How accurate are the classifiers, and which differ? |
| `probability_tables` | Are the probabilities right: confusion, calibration, ROC, sets? |
| `sample_errors` | Which samples are wrong, and which labels doubtful? |
| `selected_features` | Which features are selected, how stable, how many planted ones? |
| `description`, `densities` | What do single features and samples look like? |
| `recognition` | Is there another explanation? |
"""
