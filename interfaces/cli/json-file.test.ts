// Reading payload files: strict, bounded, and every refusal says which flag, which file and what to do.
import { execFileSync } from "node:child_process"
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, afterAll, beforeAll, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Host, type HostShape } from "../shared/host.ts"
import { MAX_JSON_FILE_BYTES, readJsonObject } from "./json-file.ts"
import { temporaryFolder } from "./testing/in-process.ts"
import { testHost } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

async function* blanks(state: { taken: number }): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(65_536).fill(0x20)
  for (;;) {
    state.taken += chunk.length
    yield chunk
  }
}

const host = (stdin: HostShape["stdin"]): HostShape => testHost({ cwd: folder, stdin })

const noInput = host(() => blanks({ taken: 0 }))
const read = (file: string, from = noInput) =>
  readJsonObject("--json", file).pipe(Effect.provideService(Host, from))

const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return name
}

beforeAll(() => {
  mkdirSync(join(folder, "folder"))
})

describe("readJsonObject", () => {
  it.effect("reads an object, with numbers and keys as they are written", () =>
    Effect.gen(function* () {
      const value = yield* read(file("good.json", ' {"a":[1,-0,1e21,"\\ud83d\\ude00"],"__proto__":{}} \n'))
      assert.deepStrictEqual(Object.keys(value), ["a", "__proto__"])
      assert.deepStrictEqual(value["a"], [1, 0, 1e21, "😀"])
    })
  )

  it.effect.each([
    ["duplicate keys", '{"a":1,"\\u0061":2}', "already has that key"],
    ["numbers that lose digits", '{"a":9007199254740993}', "no double equals this number"],
    ["half a surrogate pair", '{"a":"\\ud800"}', "surrogate"],
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), "not UTF-8"],
    ["a byte order mark", '\ufeff{"a":1}', "byte order mark"],
    ["an empty file", "", "ends too early"],
    ["text after the value", "{} {}", "follows the JSON value"],
    ["a list", "[1]", "must be an object"],
    ["a string", '"a"', "must be an object"],
    ["null", "null", "must be an object"],
    ["nesting over the limit", `${"[".repeat(65)}${"]".repeat(65)}`, "64 levels"]
  ] as const)("refuses %s", ([, content, message]) =>
    Effect.gen(function* () {
      const refusal = yield* Effect.flip(read(file("bad.json", content)))
      assert.strictEqual(refusal._tag, "InvalidInput")
      assert.include(refusal.message, message)
      assert.include(refusal.message, "--json: ")
      assert.deepStrictEqual(refusal.issues[0]?.path, "--json")
    })
  )

  it.effect("refuses a file over the limit by its size, without reading it", () =>
    Effect.gen(function* () {
      const descriptor = openSync(join(folder, "huge.json"), "w")
      ftruncateSync(descriptor, 2 ** 40)
      closeSync(descriptor)
      const handle = yield* Effect.promise(() => open(join(folder, "huge.json")))
      const reading = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "createReadStream")
      yield* Effect.promise(() => handle.close())
      const refusal = yield* Effect.flip(read("huge.json"))
      assert.include(refusal.message, `over ${MAX_JSON_FILE_BYTES} bytes`)
      assert.strictEqual(reading.mock.calls.length, 0)
      yield* read(file("small.json", "{}"))
      assert.strictEqual(reading.mock.calls.length, 1)
      reading.mockRestore()
    })
  )

  it.effect("leaves standard input as soon as it goes over the limit", () =>
    Effect.gen(function* () {
      const state = { taken: 0 }
      const refusal = yield* Effect.flip(
        read(
          "-",
          host(() => blanks(state))
        )
      )
      assert.include(refusal.message, `over ${MAX_JSON_FILE_BYTES} bytes`)
      assert.strictEqual(state.taken, MAX_JSON_FILE_BYTES + 65_536)
    })
  )

  it.live("refuses a pipe at once, also without a writer, a device and a socket", () =>
    Effect.gen(function* () {
      const socket = createServer()
      yield* Effect.promise(
        () => new Promise<void>((resolve) => void socket.listen(join(folder, "socket"), resolve))
      )
      execFileSync("mkfifo", [join(folder, "pipe")])
      for (const path of ["pipe", "/dev/zero", "/dev/null", "socket"]) {
        const refusal = yield* Effect.flip(read(path))
        assert.include(refusal.message, "no regular file", path)
      }
      socket.close()
    })
  )

  it.effect.each([
    ["missing.json", "there is no such file"],
    ["good.json/x", "there is no such file"],
    ["folder", "this is a folder"],
    ["", "name a file"],
    ["a\0b", "name a file"],
    ["x".repeat(300), "the name is too long"]
  ] as const)("refuses the path %j", ([path, message]) =>
    Effect.gen(function* () {
      const refusal = yield* Effect.flip(read(path))
      assert.include(refusal.message, message)
    })
  )
})
