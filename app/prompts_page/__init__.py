"""Parts of page Prompts."""
