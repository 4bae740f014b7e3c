// Where nothing new may be made, by whichever way the place is named.
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CARTRIDGE_FILES } from "../../domain/network/cartridges/cartridge-names.ts"
import { writeGolden } from "../bundles/testing/bundle-folders.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { newPlaceFault } from "./new-place.ts"

const faultOf = (path: string): string => newPlaceFault("--out", path)?.message ?? "free"

describe("a new file or folder", () => {
  it("is refused inside a bundle, however deep and through any link", () => {
    const folder = temporaryFolder()
    const bundle = writeGolden(join(folder, "pk"))
    mkdirSync(join(bundle, "artifacts", "deep"))
    symlinkSync(bundle, join(folder, "link"))
    symlinkSync(join(bundle, "artifacts"), join(folder, "inner"))
    for (const place of ["pk/x.tar", "pk/artifacts/x", "pk/artifacts/deep/x", "link/x.tar", "inner/x"]) {
      assert.include(faultOf(join(folder, place)), `${bundle} is a bundle, and nothing else may stand in it`)
    }
    for (const place of ["pk.tar", "x", "pk", "none/x"])
      assert.strictEqual(faultOf(join(folder, place)), "free")
    assert.deepStrictEqual(newPlaceFault("--out", join(bundle, "x"))?.issues[0]?.path, "--out")
  })

  it("is refused inside a cartridge", () => {
    const folder = temporaryFolder()
    for (const name of CARTRIDGE_FILES) {
      assert.strictEqual(faultOf(join(folder, "x")), "free")
      writeFileSync(join(folder, name), "")
    }
    assert.include(faultOf(join(folder, "x")), "is a cartridge")
  })

  it("is free beside files that only have a bundle's names", () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, "artifacts"))
    writeFileSync(join(folder, "bundle.json"), '{"name":"mine"}')
    assert.strictEqual(faultOf(join(folder, "x")), "free")
    const other = temporaryFolder()
    mkdirSync(join(other, "bundle.json"))
    assert.strictEqual(faultOf(join(other, "x")), "free")
  })

  it("is refused under a name that belongs to a database beside it", () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "l.db"), "")
    symlinkSync("l.db", join(folder, "link.db"))
    linkSync(join(folder, "l.db"), join(folder, "other.db"))
    symlinkSync(folder, join(folder, "here"))
    for (const ending of ["-wal", "-shm", "-journal", ".merkle", "-WAL", ".Merkle"]) {
      for (const name of ["l.db", "link.db", "other.db", "here/l.db"]) {
        assert.include(faultOf(join(folder, `${name}${ending}`)), "kept beside", `${name}${ending}`)
      }
      assert.strictEqual(faultOf(join(folder, `none.db${ending}`)), "free")
    }
    assert.strictEqual(faultOf(join(folder, "l.db.copy")), "free")
  })
})
