"""Export of cases. Each format is a module of ``formats``, discovered by itself."""
