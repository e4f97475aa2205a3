"""The page: blocks, their HTML, figures and style, independent of studies."""
