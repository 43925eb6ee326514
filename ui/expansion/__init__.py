"""Views in addition to the board: the growth of a case as a tree that folds, and its pool in charts."""
