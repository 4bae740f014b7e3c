/**
 * A file that changes while it is read. The change is made between two reads of the program itself, so that the test
 * does not depend on who is quicker.
 */
import * as Result from "effect/Result"
import type * as NodeFs from "node:fs"
import * as fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { textOfUtf8 } from "../../../domain/canonical/bytes.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { readText } from "./file-reading.ts"

const meanwhile = vi.hoisted(() => ({ once: undefined as (() => void) | undefined }))

vi.mock("node:fs", async (original) => {
  const real = await original<typeof NodeFs>()
  return {
    ...real,
    readSync: (...args: Parameters<typeof real.readSync>) => {
      const count = real.readSync(...args)
      meanwhile.once?.()
      meanwhile.once = undefined
      return count
    }
  }
})

const long = "0123456789abcdef".repeat(10_000)

describe("a file that changes while it is read", () => {
  const changes: { readonly [name: string]: (file: string) => void } = {
    "is appended to": (file) => fs.appendFileSync(file, "more"),
    "is cut": (file) => fs.truncateSync(file, 70_000),
    "is written over": (file) => fs.writeFileSync(file, long.toUpperCase())
  }

  it.each(Object.keys(changes))("and %s is refused", (name) => {
    const root = temporaryFolder()
    const file = join(root, "a.txt")
    fs.writeFileSync(file, long)
    // Coarse clocks of file systems must not hide the change.
    fs.utimesSync(file, 1_000_000_000, 1_000_000_000)
    meanwhile.once = () => changes[name]?.(file)
    expect(readText(root, "a.txt")).toMatchObject({ failure: { _tag: "FileChanged", path: "a.txt" } })
    expect(Result.isSuccess(readText(root, "a.txt"))).toBe(true)
  })

  it("by being replaced is refused, and read again the next time", () => {
    const root = temporaryFolder()
    const file = join(root, "a.txt")
    fs.writeFileSync(file, long)
    meanwhile.once = () => {
      fs.writeFileSync(`${file}.new`, "new")
      fs.renameSync(`${file}.new`, file)
    }
    // Replacing unlinks the old file, which changes its ctime.
    expect(readText(root, "a.txt")).toMatchObject({ failure: { _tag: "FileChanged" } })
    const read = readText(root, "a.txt")
    expect(textOfUtf8(Result.getOrThrow(read).text)).toBe("new")
  })
})
