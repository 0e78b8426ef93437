"""The product's version: part of every signature."""

from importlib.metadata import version

VERSION = version("stereoscope")
PRODUCT = f"stereoscope {VERSION}"
