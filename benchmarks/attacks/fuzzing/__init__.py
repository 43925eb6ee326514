"""Files made worse, and readers run over them."""
