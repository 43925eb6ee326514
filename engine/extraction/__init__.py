"""Has a language model read a corpus: concepts, definitions, exceptions, extensions, applicability."""

from engine.extraction.extracting import Expected, ExtractionReport, Plan, expected, extract, planned

__all__ = ["Expected", "ExtractionReport", "Plan", "expected", "extract", "planned"]
