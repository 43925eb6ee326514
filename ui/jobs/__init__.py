"""Background jobs of visitors: one class for all kinds, on threads and in processes."""
