"""The command line, generated from the verbs."""
