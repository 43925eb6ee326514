"""The packages that Redstring stands on: their versions, licences and known vulnerabilities."""
