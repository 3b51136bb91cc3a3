"""What `regrade diff` shows as a page."""
