"""Has a language model read a corpus: concepts, definitions, exceptions, extensions, applicability."""

from engine.extraction.extracting import ExtractionReport, extract
from engine.extraction.planning import Expected, Plan, expected, planned

__all__ = ["Expected", "ExtractionReport", "Plan", "expected", "extract", "planned"]
