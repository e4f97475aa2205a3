"""Running a study: its configuration, the plan of its jobs, their start, and the command line.

================ ==================================================================
project          Where are the workflow's files, and what is the default configuration?
config           Is a configuration valid, and which studies does it describe?
plan             Which configuration, data sets and studies has a run?
data_set_jobs, study_jobs
                 Which inputs and parameters does a job of a rule have?
rule_parts       How do paths become inputs and outputs, and what does a job request?
provenance       Which code does a result depend on, and which software made a page?
job_process      What happens at the start and at the end of every job?
run_events       Which jobs run, and why did a job fail?
planned_downloads
                 Which files does a run download?
unrecorded       Would a run mix new results with earlier ones?
snakemake_program
                 What is printed where Snakemake is interrupted while it plans?
cluster          Would Snakemake wait for ever on this SLURM cluster?
finish           What is written at the end of a run?
parameter_files  Which values may the parameters of a method have?
cli              What does the command ``xnbflow`` do?
================ ==================================================================
"""
