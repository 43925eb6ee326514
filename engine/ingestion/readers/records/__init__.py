"""Sources of records: JSON, JSON lines and tables, whose fields a mapping or a guess gives a meaning."""

from engine.ingestion.readers.records.reader import JsonReader, TableReader

__all__ = ["JsonReader", "TableReader"]
