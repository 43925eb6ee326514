"""A corpus in a folder: columns and texts are memory-mapped, so that it opens in milliseconds."""
