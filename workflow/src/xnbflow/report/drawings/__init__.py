"""Drawings of figures, as functions of plain numbers and text.

Each process that draws imports them; they import only matplotlib and numpy.
"""
