/**
 * What is known about a path before SQLite touches it: network file systems by their statfs types, and what may be
 * read or written where.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ledgerLayer } from "../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { isWritable } from "./file-access.ts"
import { kindOfType, networkKind, publishFile } from "./file-system.ts"
import { pathFault } from "../sqlite/files/database-path.ts"

describe("file systems", () => {
  const types = { NFS: 0x6969, SMB: 0x517b, CIFS: 0xff534d42, SMB2: 0xfe534d42 }

  for (const [kind, type] of Object.entries(types)) {
    it(`${kind} is known by its type, also as a signed number, and refused`, () => {
      assert.strictEqual(kindOfType(type), kind)
      assert.strictEqual(kindOfType(type | 0), kind)
      const file = join(temporaryFolder(), "a.db")
      const fake = { networkKind: () => kindOfType(type) }
      for (const mode of ["write", "read"] as const) {
        if (mode === "read") writeFileSync(file, "x")
        const fault = pathFault(file, { mode, allowNetworkFs: false, ...fake })
        assert.strictEqual(fault?._tag, "NetworkFileSystem")
        assert.deepInclude({ ...fault }, { file, kind })
        assert.isUndefined(pathFault(file, { mode, allowNetworkFs: true, ...fake }))
      }
    })
  }

  it("an unknown type is allowed", () => {
    assert.isUndefined(kindOfType(0xef53))
    const file = join(temporaryFolder(), "a.db")
    assert.isUndefined(
      pathFault(file, { mode: "write", allowNetworkFs: false, networkKind: () => undefined })
    )
  })

  it("a new file is judged by its folder, an existing one by itself", () => {
    const folder = temporaryFolder()
    const file = join(folder, "a.db")
    const asked: Array<string> = []
    const look = () =>
      pathFault(file, {
        mode: "write",
        allowNetworkFs: false,
        networkKind: (path) => {
          asked.push(path)
          return undefined
        }
      })
    look()
    writeFileSync(file, "")
    look()
    assert.deepStrictEqual(asked, [folder, file])
  })

  it("the disk of the tests is local", () => {
    assert.isUndefined(networkKind(temporaryFolder()))
  })

  it.live("the option is the layer's too", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* Effect.scoped(Effect.provide(Effect.void, ledgerLayer({ filename, allowNetworkFs: true })))
    })
  )
})

describe("places", () => {
  it("a folder is no ledger, what is missing is missing, and what exists may be opened", () => {
    const folder = temporaryFolder()
    const file = join(folder, "a.db")
    const fault = (path: string, mode: "write" | "read") =>
      pathFault(path, { mode, allowNetworkFs: true })?._tag
    mkdirSync(join(folder, "inner"))
    assert.strictEqual(fault(join(folder, "inner"), "write"), "NotALedger")
    assert.strictEqual(fault(file, "read"), "FileMissing")
    assert.isUndefined(fault(file, "write"))
    assert.strictEqual(fault(join(folder, "none", "a.db"), "write"), "FileMissing")
    writeFileSync(file, "")
    assert.isUndefined(fault(file, "read"))
    assert.isFalse(isWritable(join(folder, "none")))
    assert.isTrue(isWritable(folder))
  })
})

describe("a finished file", () => {
  it("gets its name, and never one that is taken", () => {
    const folder = temporaryFolder()
    const draft = join(folder, "draft")
    writeFileSync(draft, "whole")
    assert.isTrue(publishFile(draft, join(folder, "new")))
    assert.strictEqual(readFileSync(join(folder, "new"), "utf8"), "whole")
    writeFileSync(join(folder, "kept"), "kept")
    symlinkSync("nowhere", join(folder, "dangling"))
    mkdirSync(join(folder, "folder"))
    for (const name of ["kept", "dangling", "folder"]) assert.isFalse(publishFile(draft, join(folder, name)))
    assert.strictEqual(readFileSync(join(folder, "kept"), "utf8"), "kept")
    assert.throws(() => publishFile(draft, join(folder, "none", "new")), "ENOENT")
  })
})

describe("what stands beside a database and is no file", () => {
  const kinds = {
    folder: (path: string) => mkdirSync(path),
    link: (path: string) => symlinkSync("/etc/hostname", path),
    pipe: (path: string) => spawnSync("mkfifo", [path])
  }
  for (const [kind, make] of Object.entries(kinds)) {
    for (const part of ["-wal", "-shm", "-journal"]) {
      it.skipIf(process.platform === "win32")(
        `a ${kind} as ${part} is named before SQLite waits at it`,
        () => {
          for (const isThere of [true, false]) {
            const file = join(temporaryFolder(), "a.db")
            if (isThere) writeFileSync(file, "x")
            make(`${file}${part}`)
            for (const mode of ["write", "append", "read", "replace"] as const) {
              const fault = pathFault(file, { mode, allowNetworkFs: false })
              assert.strictEqual(fault?._tag, "InvalidInput")
              assert.include(String(fault?.message), `${file}${part} is a folder, a link or a device`)
            }
          }
        }
      )
    }
  }

  it("a folder as tree of hashes is in the way of a restore alone", () => {
    const file = join(temporaryFolder(), "a.db")
    writeFileSync(file, "x")
    mkdirSync(`${file}.merkle`)
    assert.isUndefined(pathFault(file, { mode: "append", allowNetworkFs: true }))
    assert.include(
      String(pathFault(file, { mode: "replace", allowNetworkFs: true })?.message),
      `${file}.merkle is a folder`
    )
  })
})
