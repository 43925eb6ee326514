"""The ontology of a corpus: its coverage measured, its concepts and rules applied."""
