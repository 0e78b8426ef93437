"""A tiny random chat model with a chat template, loaded like any local model."""

from __future__ import annotations

from pathlib import Path

from engines.tiny_model import build_tiny_model

CHAT_TEMPLATE = (
    "{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}"
)


def build_chat_model(folder: Path, *, template: str | None = CHAT_TEMPLATE) -> Path:
    """The folder of the model; its answers mean nothing."""
    build_tiny_model(folder, ["Are men calmer than women? No.", "Is she kind? Yes, I think."])
    if template is not None:
        (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    return folder
