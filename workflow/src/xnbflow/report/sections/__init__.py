"""Sections of the report, one file each with a function ``section(results) -> Section | None``."""
