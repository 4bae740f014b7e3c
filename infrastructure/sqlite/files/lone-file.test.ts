// Files with several names and files that are mounted alone: what is seen, and what people are told to do.
import { linkSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { isMountPoint, loneFileFault, loneFileWarnings, mountFault, namesFault } from "./lone-file.ts"

const made = () => {
  const file = join(temporaryFolder(), "a.db")
  writeFileSync(file, "x")
  return file
}

describe("names", () => {
  it("one is no fault", () => {
    const file = made()
    expect(loneFileFault(file)).toBeUndefined()
    expect(loneFileWarnings(file)).toEqual([])
  })

  it("another one in the same folder is told by its path", () => {
    const file = made()
    linkSync(file, `${file}.other`)
    expect(loneFileFault(file)).toMatchObject({ code: "SEVERAL_NAMES" })
    expect(loneFileFault(file)?.reason).toContain(`it has 2 names (hard links)`)
    expect(loneFileFault(file)?.reason).toContain(`${file}.other is one`)
    expect(loneFileWarnings(file)[0]).toContain("may not be seen here")
  })

  it("what a killed command left is told as such", () => {
    const file = made()
    const folder = join(file, "..", ".cassette-draft-abc")
    mkdirSync(folder)
    for (const draft of [join(folder, "ledger.db"), join(file, "..", ".a.db.partial-1")]) {
      linkSync(file, draft)
      expect(namesFault(file, statSync(file))).toContain(
        `a command that was killed left ${draft}: remove that name`
      )
      rmSync(draft)
    }
  })

  it("one that lies elsewhere is searched for", () => {
    const file = made()
    linkSync(file, join(temporaryFolder(), "b.db"))
    expect(loneFileFault(file)?.reason).toContain("-samefile")
  })
})

const MOUNTS = [
  "21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw",
  "62 42 254:0 /host/l.db /data/l.db rw,relatime - ext4 /dev/vda rw",
  "63 42 254:0 /host/a\\040b.db /data/a\\040b.db rw,relatime - ext4 /dev/vda rw",
  "64 42 0:44 / /folder rw - tmpfs tmpfs rw"
].join("\n")

describe("mounts", () => {
  it("of a file are known by its path, blanks included", () => {
    expect(isMountPoint(MOUNTS, "/data/l.db")).toBe(true)
    expect(isMountPoint(MOUNTS, "/data/a b.db")).toBe(true)
    for (const path of ["/data/l.d", "/data/l.db-wal", "/data", "/host/l.db", "/folder/l.db"]) {
      expect(isMountPoint(MOUNTS, path), path).toBe(false)
    }
  })

  it("are judged by the table where there is one, by devices where there is none", () => {
    const same = { device: 1, folderDevice: 1 }
    const others = { device: 1, folderDevice: 2 }
    expect(mountFault("/data/l.db", { mounts: MOUNTS, ...same })).toContain("mount the folder")
    expect(mountFault("/data/m.db", { mounts: MOUNTS, ...others })).toBeUndefined()
    expect(mountFault("/data/m.db", { mounts: undefined, ...same })).toBeUndefined()
    expect(mountFault("/data/m.db", { mounts: undefined, ...others })).toContain("mounted by itself")
  })
})
