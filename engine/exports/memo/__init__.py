"""The memo of a case: what it says, and how it is written as Word and as Markdown."""
