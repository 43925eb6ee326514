"""Attacks on the whole product, class by class: what was tried, what held, what failed."""
