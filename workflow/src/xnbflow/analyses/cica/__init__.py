"""Conditionally independent components: what the study of them computes, and its section."""
