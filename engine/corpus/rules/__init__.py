"""Rules of an ontology as such: values of facts, and the conditions over them."""
