"""Learning of a corpus's ranking from verdicts."""
