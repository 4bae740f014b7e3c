// The port over an object's storage, beside the same port over a file's driver: one contract for both. The platform's own storage has it
// in interfaces/durable-objects/host.test.ts.
import { describe, expect, it } from "vitest"
import { openBytes } from "../sqlite/connection/better-sqlite3-host.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"
import { durableObjectHost } from "./durable-object-host.ts"
import { hostContract, seenIn } from "./testing/host-contract.ts"
import { standInStorage } from "./testing/stand-in.ts"

const hosts: ReadonlyArray<readonly [string, () => SqlHost]> = [
  ["a file's driver", () => openBytes(Buffer.alloc(0))],
  ["an object's storage", () => durableObjectHost(standInStorage())]
]

describe.each(hosts)("the SQL port over %s", (_, open) => {
  it.each(hostContract)("$name", ({ expected, name }) => {
    expect(seenIn(open(), name)).toEqual(expected)
  })
})
