// What the entry point for Durable Objects leads to: a worker has no files, no driver and no other package.
import { expect, it } from "vitest"
import { bundleOf } from "./testing/workerd.ts"

it("the entry point imports node:crypto and cloudflare:workers, and nothing else", async () => {
  const { imports } = await bundleOf("../index.ts")
  expect([...imports].sort()).toEqual(["cloudflare:workers", "node:crypto"])
})
