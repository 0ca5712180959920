#!/bin/sh
set -e

if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
fi
if [ "$1" = remove ] && command -v deb-systemd-helper >/dev/null; then
  deb-systemd-helper mask waypost.service >/dev/null || true
fi
# The data go with the settings. The account stays, so that no other gets its number.
if [ "$1" = purge ]; then
  if command -v deb-systemd-helper >/dev/null; then
    deb-systemd-helper purge waypost.service >/dev/null || true
    deb-systemd-helper unmask waypost.service >/dev/null || true
  fi
  rm -rf /var/lib/waypost /etc/waypost
fi
