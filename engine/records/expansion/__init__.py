"""The expansion tree of a case and its statistics, as JSON and as text."""
