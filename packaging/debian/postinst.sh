#!/bin/sh
set -e

case "$1" in
  configure | abort-upgrade | abort-deconfigure | abort-remove) ;;
  *) exit 0 ;;
esac

adduser --quiet --system --group --no-create-home --home /var/lib/waypost --gecos Waypost waypost
if [ ! -e /var/lib/waypost ]; then
  install -d -o waypost -g waypost -m 0700 /var/lib/waypost
fi

deb-systemd-helper unmask waypost.service >/dev/null || true
if deb-systemd-helper --quiet was-enabled waypost.service; then
  deb-systemd-helper enable waypost.service >/dev/null || true
else
  deb-systemd-helper update-state waypost.service >/dev/null || true
fi
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
  if [ -n "$2" ]; then action=restart; else action=start; fi
  deb-systemd-invoke $action waypost.service >/dev/null || true
fi
