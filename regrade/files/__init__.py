"""Files: corpus.toml, SHA256SUMS, the bank, and one loader a transcript format."""
