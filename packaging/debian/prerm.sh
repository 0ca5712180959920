#!/bin/sh
set -e

# An upgrade restarts the service once the new files are there.
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop waypost.service >/dev/null || true
fi
