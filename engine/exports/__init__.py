"""Export of cases. Each format is a module of ``formats``, which is discovered automatically."""
