"""What is handed to others: certificates."""
