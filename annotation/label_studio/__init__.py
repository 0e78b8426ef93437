"""Label Studio: a form and an untrusted source of events."""
