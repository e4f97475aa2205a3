"""The jobs of the workflow: a module for each rule, whose script calls its one function.

A job reads files, calls the library, compares its code with that of the plan (``check_code``), and
writes files into a folder that no other job writes to.
"""
