"""What a case can be handed over as. Each format is one file of ``formats``, found by itself."""
