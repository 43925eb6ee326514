"""Requests to other servers: which addresses may be called, and how much of a request's time and answer is
waited for. Nothing else in the engine opens a connection but the loading of a model from its hub."""
