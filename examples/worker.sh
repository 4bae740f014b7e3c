#!/bin/sh
# A worker that is a script: `worker.sh NAME PREFIX COMMAND…` does the steps of runs whose ids begin with PREFIX, one after the other.
# COMMAND reads a step's payload from standard input and prints the receipt, a JSON object. When it fails, so has the step.
# It ends as the last claim does: with 1 when nothing came for WAIT seconds (30). CORTEX is the command, when it is not on the PATH.
cortex=${CORTEX:-cortex}
worker=$1 prefix=$2
shift 2

# With --format json an error is a document on standard output, too: its sentence is told here.
refused() {
  [ -z "$answer" ] || printf '%s' "$answer" | node -p "'error: ' + JSON.parse(require('fs').readFileSync(0)).error.message" >&2
  exit "$1"
}

claimed() {
  printf '%s' "$answer" | node -p "const { lease, payload } = JSON.parse(require('fs').readFileSync(0)).data; $1"
}

while :; do
  answer=$("$cortex" cassette claim --any --prefix "$prefix" --worker "$worker" --ttl 600 --wait "${WAIT:-30}" --format json) || refused $?
  outcome=SUCCESS
  receipt=$(claimed 'JSON.stringify(payload)' | "$@") || { receipt="{\"exit_code\":$?}" outcome=FAILURE; }
  printf '%s' "$receipt" | "$cortex" cassette complete --run-id "$(claimed lease.run_id)" --step "$(claimed lease.step_id)" \
    --worker "$worker" --token "$(claimed lease.fencing_token)" --receipt - --outcome "$outcome"
done
