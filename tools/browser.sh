#!/usr/bin/env bash
# A browser for the tests of report and site: chromium and its driver from Debian's packages, axe-core from npm.
# What cannot be had is said in one line and costs only the tests that need it: this script never fails, and every
# step has an end. axe-core and the log go into .browser, which git ignores.
set -u
cd "$(dirname "$0")/.."
mkdir -p .browser
log=.browser/install.log
axe=.browser/node_modules/axe-core/axe.min.js

have() { command -v "$1" > /dev/null 2>&1; }

say() { echo "browser: $*"; }

# run a command for at most so many seconds, into the log, never asking anything
limited() {
  local seconds=$1
  shift
  if have timeout; then set -- timeout -k 10 "$seconds" "$@"; fi
  DEBIAN_FRONTEND=noninteractive "$@" >> "$log" 2>&1 < /dev/null
}

there_is_chromium() { have chromedriver && { have chromium || have google-chrome; }; }

# fetched first: a network that hangs must not be cut off in the middle of an installation
install_chromium() {
  local packages=(--no-install-recommends chromium chromium-driver)
  limited 60 apt-get -qq -o Acquire::Retries=1 update
  limited 120 apt-get -qq -y -o Acquire::Retries=1 --download-only install "${packages[@]}" &&
    limited 180 apt-get -qq -y -o DPkg::Lock::Timeout=30 --no-download install "${packages[@]}"
}

if ! there_is_chromium; then
  if ! have apt-get || [ "$(id -u)" != 0 ]; then
    say "no chromium with chromedriver here, and only root on Debian may install them"
  elif ! install_chromium; then
    say "chromium could not be installed; $log says why"
  fi
fi

if [ ! -f "$axe" ] && [ ! -f "${PACBAYES_AXE:-}" ]; then
  if ! have npm; then
    say "no npm to install axe-core with; PACBAYES_AXE may name its axe.min.js"
  elif ! limited 60 npm install --prefix .browser --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000 axe-core@4; then
    say "axe-core could not be installed; $log says why"
  fi
fi
there_is_chromium && [ -f "${PACBAYES_AXE:-$axe}" ] && say "chromium, chromedriver and axe-core are here"
exit 0
