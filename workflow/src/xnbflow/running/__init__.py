"""Foundation of rules and the command line: configuration, jobs, provenance."""
