"""The case as one page of HTML that needs nothing else."""
