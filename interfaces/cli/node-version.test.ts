// Which versions of Node the command line takes, and the sentence that refuses the others.
import { describe, expect, it } from "vitest"
import { nodeVersionFault } from "./node-version.ts"

describe("nodeVersionFault", () => {
  it.each(["22.19.0", "22.20.1", "23.0.0", "24.21.0", "100.0.0"])("takes %s", (version) => {
    expect(nodeVersionFault(version)).toBeUndefined()
  })
  it.each(["22.18.9", "20.20.2", "8.0.0", "v24.0.0", ""])("refuses %s in one sentence", (version) => {
    expect(nodeVersionFault(version)).toMatch(/^cortex needs Node 22\.19 or newer and this is Node .*\.$/)
  })
})
