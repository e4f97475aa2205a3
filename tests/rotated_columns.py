"""Declares every table with its columns in another order: each moves by one place."""

import tomllib


def rotated(text, loads=tomllib.loads):
    """Return what `tomllib.loads` does, with every column of a table in another place."""
    declared = loads(text)
    for table in (table for group in declared.values() for table in group.values()):
        if isinstance(table, dict) and isinstance(table.get("columns"), dict):
            columns = {
                name: column
                for names, column in table["columns"].items()
                for name in (names.split() if column == "shared" else [names])
            }
            first, *others = columns
            table["columns"] = {name: columns[name] for name in (*others, first)}
    return declared


tomllib.loads = rotated
