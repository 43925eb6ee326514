"""The engine of Redstring: everything but the page."""

# The only definition of the version.
__version__ = "0.2.0"
