"""Beside the board: how a case grew as a tree that folds, and its pool in charts."""
