"""The store: schema as data, ingest, and the rows of every later step."""
