// A host for tests: no arguments, no input, no terminal, and output that goes nowhere. A test names what it needs.
import type { HostShape } from "../host.ts"

/** A host that does nothing but what the test gives it. */
export const testHost = (given: Partial<HostShape> = {}): HostShape => ({
  args: [],
  env: {},
  cwd: "/",
  stdin: async function* () {},
  write: async () => {},
  isTerminal: () => false,
  columns: () => undefined,
  notText: undefined,
  stop: new AbortController().signal,
  self: [],
  ...given
})
