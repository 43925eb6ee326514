"""A corpus in one folder on disk: columns and texts memory-mapped, opened in milliseconds."""
