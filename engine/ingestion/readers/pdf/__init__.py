from engine.ingestion.readers.pdf.reader import PdfReader

__all__ = ["PdfReader"]
