"""Tables as files: the contract of paths and columns, the one writer and the one reader."""
