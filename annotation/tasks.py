"""What the tasks of a rater's project hold."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.label_studio.markup import place_data
from corpus.forms import Form
from corpus.hashing import sha256_json
from corpus.records import Assignment, Item


def task_data(item: Item) -> dict[str, str]:
    """What a task holds of an item: the texts to show, our ids, and a hash to notice tampering."""
    data = {
        "item_id": item.id,
        "content_hash": item.content_hash,
        **item.shown,
    }
    return data | {"data_hash": sha256_json(data)}


def build_tasks(
    form: Form, assignment: Assignment, items: Mapping[str, Item]
) -> dict[str, dict[str, str]]:
    """What each task of a rater holds, by item id and in her order."""
    total = len(assignment.item_ids)
    return {
        item_id: task_data(items[item_id]) | place_data(form, number, total)
        for number, item_id in enumerate(assignment.item_ids, start=1)
    }
