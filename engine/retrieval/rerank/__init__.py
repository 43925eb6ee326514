"""Rerankers, which read a question and a text together: cross-encoders and language models."""
