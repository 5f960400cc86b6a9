# Shared by the scripts of this folder; to be sourced by bash.

set -euo pipefail
# Paths given as arguments count from here.
CALLED_FROM=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD

# Where cargo puts what it builds.
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}

# rustup's cargo is used even where the shell's profile was not read.
if ! command -v cargo >/dev/null && [ -x "$HOME/.cargo/bin/cargo" ]; then
    PATH=$HOME/.cargo/bin:$PATH
fi

say() { printf '== %s\n' "$*"; }

# Ends the script: fail CODE MESSAGE...
fail() {
    local code=$1
    shift
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit "$code"
}

# Gives DISPLAY an X server of our own, whatever display there is: windows of a known size, software
# rendering, nobody's desktop disturbed. The server ends with the script.
start_xvfb() {
    command -v Xvfb >/dev/null || fail 3 "Xvfb is missing: run scripts/setup"
    XVFB_FOLDER=$(mktemp -d)
    Xvfb -displayfd 3 -screen 0 854x480x24 -nolisten tcp \
        3>"$XVFB_FOLDER/number" >"$XVFB_FOLDER/log" 2>&1 &
    XVFB_PID=$!
    trap stop_xvfb EXIT
    local tries
    for ((tries = 0; tries < 150; tries++)); do
        if [ -s "$XVFB_FOLDER/number" ]; then
            DISPLAY=:$(tr -d '[:space:]' <"$XVFB_FOLDER/number")
            export DISPLAY
            return
        fi
        kill -0 "$XVFB_PID" 2>/dev/null || break
        sleep 0.1
    done
    cat "$XVFB_FOLDER/log" >&2
    fail 3 "Xvfb did not start"
}

stop_xvfb() {
    kill "$XVFB_PID" 2>/dev/null || true
    wait "$XVFB_PID" 2>/dev/null || true
    rm -rf "$XVFB_FOLDER"
}
