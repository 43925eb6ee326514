"""A case with all that belongs to it as one RO-Crate."""
