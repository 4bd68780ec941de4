#!/usr/bin/env bash
# trace.sh PROGRAM SCENARIO TIMES: trace.py, where there is Python, and the driver that GPUDL_DRIVER names; else exits with 77.
set -u
if ! command -v python3 >/dev/null; then
    echo "no python3"
    exit 77
fi
if [[ $GPUDL_DRIVER == nvidia ]] && ! "${1%/*}/gpudl" device; then
    exit 77
fi
exec python3 "$(dirname "$0")/trace.py" "$@"
