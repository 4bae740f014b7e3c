// The contract of the SQL port over the platform's own storage, in workerd.
import { expect, it } from "vitest"
import { hostContract } from "../../infrastructure/durable-objects/testing/host-contract.ts"
import { describeInWorkerd } from "./testing/describe-workerd.ts"

describeInWorkerd("the SQL port over an object's storage", (running) => {
  it.each(hostContract)("$name", async ({ expected, name }) => {
    expect(await running.workerd().ask("ATTACKED", name, "contract", name)).toEqual(expected)
  })
})
