"""Expert reviews of passages, hops and answers of cases: storage, statistics and learning."""
