"""Processes that may do little: what the kernel can keep a process from, and one that begins so confined."""
