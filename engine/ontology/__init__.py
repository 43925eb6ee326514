"""The ontology of a corpus: proposed from its headings and terms, measured, edited, and its rules applied."""
