"""Rules of an ontology: facts, their values, and conditions over them."""
