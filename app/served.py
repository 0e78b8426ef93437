"""The process that serves the app: Streamlit, and beside it the study read before anybody comes.

Reading 29 languages and drawing their intervals takes seconds once, and without this the first
visitor would wait for it.
"""

from __future__ import annotations

import logging
import sys
import threading
from importlib import import_module

from streamlit.web import cli

from app.serve import WEB
from app.study import prepare_study
from corpus.errors import StereoscopeError


def main() -> None:
    """Serves the app with the options given, as `app.serve.web_command` names them."""
    threading.Thread(target=prepare, name="prepare", daemon=True).start()
    sys.argv = ["streamlit", "run", str(WEB), *sys.argv[1:]]
    cli.main()


def prepare() -> None:
    """Reads the study; what is wrong with it the first page says, to whom it concerns."""
    logging.getLogger("streamlit.runtime.scriptrunner_utils").setLevel(logging.ERROR)
    try:
        prepare_study()
        # It brings in what takes longer to import than a page may take.
        import_module("app.charts_of_agreement")
    except StereoscopeError:
        return


if __name__ == "__main__":
    main()
