"""Sources of records: JSON, JSON lines and tables, whose fields a mapping or a guess gives a meaning."""

from engine.ingestion.readers.records.json_reader import JsonReader
from engine.ingestion.readers.records.table_reader import TableReader

__all__ = ["JsonReader", "TableReader"]
