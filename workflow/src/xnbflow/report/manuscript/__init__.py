"""Texts for papers: paragraphs, references, checklists, model cards."""
