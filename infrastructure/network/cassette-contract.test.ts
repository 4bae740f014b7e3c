// Every kind of store under the one contract: read in this process, read by a child, and a shelf in memory that knows
// nothing of our schema, bare and behind the hub's guard.
import { cassetteContract } from "../../application/network/testing/cassette-contract.ts"
import { guardedCassette } from "../../application/network/guarded-cassette.ts"
import { makeShelf } from "../../examples/shelf.ts"
import { sha256 } from "../hashing/sha256.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { cassetteWith, local, servedApart } from "./testing/cassettes.ts"

cassetteContract("in this process", {
  sha256,
  kind: "file",
  make: (id, texts) => local(id, cassetteWith(temporaryFolder(), id, texts))
})

cassetteContract("in a child", {
  sha256,
  kind: "file",
  make: (id, texts) =>
    servedApart({
      id,
      file: cassetteWith(temporaryFolder(), id, texts),
      shownPath: `${id}.db`,
      deadlineMillis: 60_000
    })
})

cassetteContract("in memory", { sha256, kind: "plain", make: makeShelf })

cassetteContract("in memory, behind the guard", {
  sha256,
  kind: "plain",
  make: (id, texts) => guardedCassette(makeShelf(id, texts), sha256)
})

cassetteContract("an index that a host plugs in, behind the guard", {
  sha256,
  kind: "index",
  make: (id, texts) => {
    const { kind: _, memories: __, ...index } = local(id, cassetteWith(temporaryFolder(), id, texts))
    return guardedCassette(index, sha256)
  }
})
