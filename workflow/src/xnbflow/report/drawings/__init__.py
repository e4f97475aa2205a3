"""Drawings: what a figure shows, as functions of plain numbers and text.

Each process that draws imports them; they import matplotlib and numpy and no more.
"""
