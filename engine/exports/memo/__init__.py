"""The memo of a case: its content, and its forms as Word and Markdown."""
