"""Addresses of servers: whether one can be asked, and whether it is this machine's own."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx


def find_host(url: str) -> str | None:
    """The host of an http(s) address that can be used, None otherwise."""
    try:
        httpx.URL(url)
        parts = urlsplit(url)
        known = parts.port is None or parts.port > 0
    except (ValueError, httpx.InvalidURL):
        return None
    return parts.hostname if known and parts.scheme in ("http", "https") else None


def is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
