"""What verdicts teach the ranking of a corpus."""
