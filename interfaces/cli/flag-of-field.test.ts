// Refused fields by the flags that were typed.
import { describe, expect, it } from "vitest"
import { typedName } from "./flag-of-field.ts"

const args = ["cassette", "post", "--json", "a.json", "--run-id=r1", "--worker", "w", "--source", "X"]

describe("typedName", () => {
  it.each([
    ["/source", "--source: "],
    ["/run_id", "--run-id: "],
    ["/lease/worker_id", "--worker: "],
    ["/payload/steps/0/n", "--json /steps/0/n: "],
    ["/fencing_token", "/fencing_token: "],
    ["/constructor", "/constructor: "],
    ["--db", "--db: "],
    ["", ""]
  ])("%s", (path, name) => expect(typedName(args, path)).toBe(name))

  it.each([
    ["/claim/worker_id", "--claim: "],
    ["/claim/ttl_seconds", "--claim-ttl: "]
  ])("%s of a post", (path, name) =>
    expect(typedName(["post", "--claim", "w", "--claim-ttl", "0"], path)).toBe(name)
  )

  it("does not take the flag of a file for a member in it", () => {
    expect(typedName(["plan", "--request", "a.json"], "/request_id")).toBe("/request_id: ")
  })
})
