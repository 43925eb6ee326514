"""Work that visitors have ordered: one class for every kind of it, on threads and in processes."""
