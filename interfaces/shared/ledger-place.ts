// Where a ledger's file is: the one that is named, or the one below the root folder, whose own folder is made for a command that may
// create a ledger.
import { statSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { fileFailure, makeFolders, nameFault } from "../embedding/files.ts"
import { absolutePath, refusedFlag, rootFolderOf } from "./path-arguments.ts"

/** `write` may make a ledger, `append` writes to one that is there, `read` changes nothing. */
export type Access = "write" | "append" | "read"

/** Where a ledger lies below the root folder. */
const ledgerPath = ["CORTEX", "_generated", "system3.db"] as const

const folderFailure = (folder: string, error: unknown) => {
  const { code } = error as NodeJS.ErrnoException
  return code === "EEXIST" || code === "ENOTDIR"
    ? refusedFlag("--root", `${folder} is in the way: it is a file`)
    : fileFailure("--root", folder, error)
}

/** Makes the ledger's folder below a root that must be there: a mistyped root is not created. */
const makeFolder = (root: string) =>
  Effect.try({
    try: () => statSync(root, { throwIfNoEntry: false })?.isDirectory() === true,
    catch: (error) => fileFailure("--root", root, error)
  }).pipe(
    Effect.flatMap((isFolder) =>
      isFolder
        ? Effect.try({
            try: () => makeFolders(join(root, ...ledgerPath.slice(0, -1))),
            catch: (error) => folderFailure(join(root, ...ledgerPath.slice(0, -1)), error)
          })
        : Effect.fail(refusedFlag("--root", `there is no folder ${root}`))
    )
  )

/** The path of the ledger file that `--db` names, or of the one below the root folder, absolute. */
export const ledgerFileAt = Effect.fnUntraced(function* (
  { db, root }: { readonly db: string | undefined; readonly root: string | undefined },
  access: Access
) {
  if (db === ":memory:") {
    return yield* Effect.fail(
      refusedFlag("--db", "a ledger in memory would end with this command: name a file")
    )
  }
  if (db !== undefined) {
    const wrong = nameFault(db)
    if (wrong !== undefined) return yield* Effect.fail(refusedFlag("--db", wrong))
    return yield* absolutePath("--db", db)
  }
  const folder = yield* rootFolderOf(root)
  if (access === "write") yield* makeFolder(folder)
  return join(folder, ...ledgerPath)
})
