"""What rules and the command line are made of: configuration, jobs, provenance."""
