#!/bin/sh
# Sees to a Chromium for the browser tests where the package manager allows it. Never fails: the
# tests say by themselves that they skip.
for name in "${STEREOSCOPE_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the browser tests (apt-get)"
    if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null
    then
        exit 0
    fi
fi
echo "There is no Chromium and none could be installed: the browser tests will be skipped." \
    "Install it, or name its program in STEREOSCOPE_CHROMIUM."
