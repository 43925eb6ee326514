from engine.corpus.opening import open_corpus

__all__ = ["open_corpus"]
