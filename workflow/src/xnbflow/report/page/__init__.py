"""The page: blocks, their HTML, figures and style; it knows no study."""
