"""Extraction by a language model: concepts, definitions, exceptions, extensions, applicability."""

from engine.extraction.extracting import Expected, ExtractionReport, Plan, expected, extract, make_plan

__all__ = ["Expected", "ExtractionReport", "Plan", "expected", "extract", "make_plan"]
