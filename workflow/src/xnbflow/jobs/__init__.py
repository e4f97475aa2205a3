"""Jobs of the workflow: a module for each rule whose script would have more than one step.

A job reads files, calls the library, and writes files into a folder that no other job writes to.
"""
