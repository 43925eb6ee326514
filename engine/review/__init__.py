"""Experts review passages, hops and answers of cases; what they say is kept, counted and learned from."""
