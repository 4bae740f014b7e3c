// The look at a file's names: what happens to any of them is seen at once, also when the folder has been quiet for so
// long that its own times answer for the names.
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { watchPlaceAt, watchWriter } from "./opened-file-check.ts"

const names = ["a.db", "a.db-wal", "a.db-shm"]

/** Waits until a change in the folder has another time than the last one: file systems tell times in grains of 1 to 10 ms. */
const passTick = (folder: string): void => {
  const probe = join(temporaryFolder(), "probe")
  do writeFileSync(probe, "")
  while (statSync(probe).mtimeMs <= statSync(folder).ctimeMs)
}

/** Three files in a folder of their own, watched by a clock that is ahead, so that the folder counts as quiet. */
const watched = (aheadMillis: number) => {
  const folder = join(temporaryFolder(), "ledger")
  mkdirSync(folder)
  const paths = names.map((name) => join(folder, name))
  for (const path of paths) writeFileSync(path, "content")
  const look = watchPlaceAt(() => Date.now() + aheadMillis, paths)
  const check = () => {
    look()
    passTick(folder)
  }
  check()
  check()
  return { check, folder, paths }
}

const replace = (path: string): void => {
  copyFileSync(path, `${path}.copy`)
  renameSync(`${path}.copy`, path)
}

describe.each([
  ["a folder that changed just now", 0],
  ["a folder that has been quiet", 60_000]
])("%s", (_, aheadMillis) => {
  for (const index of names.keys()) {
    it(`lets no name be lost unseen: ${names[index]}`, () => {
      for (const lose of [rmSync, replace, (path: string) => renameSync(path, `${path}.old`)]) {
        const { check, paths } = watched(aheadMillis)
        lose(paths[index]!)
        expect(check).toThrow(/was (removed|replaced) while it was open/)
        expect(check).toThrow(/was (removed|replaced) while it was open/)
      }
    })
  }

  it("sees another folder in its place", () => {
    const { check, folder } = watched(aheadMillis)
    renameSync(folder, `${folder}.old`)
    expect(check).toThrow(/was removed/)
    mkdirSync(folder)
    for (const name of names) writeFileSync(join(folder, name), "content")
    expect(check).toThrow(/was replaced/)
  })

  it("goes on when the names come back, and when other names come and go", () => {
    const { check, folder, paths } = watched(aheadMillis)
    renameSync(paths[0]!, join(folder, "away"))
    expect(check).toThrow(/was removed/)
    renameSync(join(folder, "away"), paths[0]!)
    check()
    writeFileSync(join(folder, "other"), "")
    check()
    rmSync(paths[1]!)
    expect(check).toThrow(/was removed/)
  })

  it("is not misled by a folder whose time of change is set back", () => {
    const { check, folder, paths } = watched(aheadMillis)
    const before = new Date(Date.now() - 3_600_000)
    utimesSync(folder, before, before)
    check()
    replace(paths[2]!)
    utimesSync(folder, before, before)
    expect(check).toThrow(/was replaced/)
  })

  it("follows a link to where it leads", () => {
    const { paths } = watched(aheadMillis)
    const links = names.map((name) => join(temporaryFolder(), name))
    for (const [index, link] of links.entries()) symlinkSync(paths[index]!, link)
    const check = watchPlaceAt(() => Date.now() + aheadMillis, links)
    check()
    check()
    replace(paths[0]!)
    expect(check).toThrow(/was replaced/)
  })
})

describe("a file that is written", () => {
  const writing = (look: () => boolean = () => true) => {
    const { folder, paths } = watched(60_000)
    const check = watchWriter([paths[0]!, paths[1]!, paths[2]!], look, () => Date.now() + 60_000)
    check()
    check()
    return { check, folder, file: paths[0]! }
  }

  it("is given no second name unseen, in its folder or elsewhere", () => {
    for (const place of [(folder: string) => join(folder, "b.db"), () => join(temporaryFolder(), "b.db")]) {
      const { check, file, folder } = writing()
      const second = place(folder)
      linkSync(file, second)
      expect(check).toThrow(/another name/)
      expect(check).toThrow(/another name/)
      rmSync(second)
      check()
    }
  })

  it("does not become shorter unseen", () => {
    const { check, file } = writing()
    writeFileSync(file, "con")
    expect(check).toThrow(/became shorter/)
  })

  it("is looked into once after each writing, and again when that could not be done", () => {
    const answers = [false, true]
    let looks = 0
    const { check, file } = writing(() => answers[looks++] ?? true)
    const later = new Date(Date.now() + 5_000)
    utimesSync(file, later, later)
    check()
    check()
    check()
    expect(looks).toBe(2)
  })
})
