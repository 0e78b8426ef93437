"""What computes on text: translation services, quality estimators, language models."""
