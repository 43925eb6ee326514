"""File formats: a file or a folder each, their common seam in ``base``, all of them in ``registry``."""
