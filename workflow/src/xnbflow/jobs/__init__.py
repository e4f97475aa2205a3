"""The jobs of the workflow: a module for each rule, whose script calls its one function.

A job reads files, calls the library, and writes files into a folder that no other job writes to.
"""
