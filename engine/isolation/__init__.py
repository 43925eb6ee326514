"""Confined processes: restrictions by the kernel, and their start."""
