"""Pages opened as a browser opens them by their address, and what they say."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from app.web import FOLDER, PAGES

TIMEOUT_S = 120


def open_page(name: str, **query: str) -> AppTest:
    """A new session that goes to the page with these parts of its address."""
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=TIMEOUT_S)
    _address(app, query).run()
    if name == PAGES[0][0]:
        return app
    app.switch_page(f"screens/{name}.py")
    return _address(app, query).run()


def texts(app: AppTest) -> list[str]:
    """Every plain text on the page."""
    return [each.value for each in app.text]


def said(app: AppTest) -> str:
    """All plain texts, a line each."""
    return "\n".join(texts(app))


def press(app: AppTest, label: str) -> AppTest:
    """The page after its button of that label was pressed."""
    pressed = next(each for each in app.button if each.label == label).click().run()
    assert not pressed.exception
    return pressed


def _address(app: AppTest, query: dict[str, str]) -> AppTest:
    for key, value in query.items():
        app.query_params[key] = value
    return app
