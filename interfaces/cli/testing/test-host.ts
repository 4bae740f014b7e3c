// A host for tests: no arguments, no input, no terminal, and output that goes nowhere. A test names what it needs.
import type { HostShape } from "../../shared/host.ts"

/** A clock that is a second further each time that it is asked. */
export const secondsPass = () => {
  let seconds = 0
  return (): number => 1_000 * seconds++
}

/** A host that does nothing but what the test gives it. */
export const testHost = (given: Partial<HostShape> = {}): HostShape => ({
  args: [],
  env: {},
  cwd: "/",
  stdin: async function* () {},
  write: async () => {},
  isTerminal: () => false,
  columns: () => undefined,
  elapsedMillis: () => 0,
  notText: undefined,
  stop: new AbortController().signal,
  self: [],
  ...given
})
