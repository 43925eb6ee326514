"""The command line: a file a verb, ``main`` puts them together."""
