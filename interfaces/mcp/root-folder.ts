// The folder that tools may touch. Every path of a call is resolved with all links followed and must lie inside it; what
// does not exist yet is judged by the nearest folder that does. A path is resolved before it is used, so that a program
// that can change the folder's links meanwhile is not held back by this.
import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import { PathOutsideRoot } from "./failures.ts"

export class RootFolder extends Context.Service<
  RootFolder,
  {
    /** Absolute. */
    readonly path: string
    /** False when it is where the server happened to be started. */
    readonly isNamed: boolean
  }
>()("cortex-cassette/interfaces/mcp/RootFolder") {}

/** The path with every link followed, as far as it exists. */
const followed = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === path) throw error
    return join(followed(parent), basename(path))
  }
}

const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)

const refused = (field: string, message: string) => invalidAt(`/${field}`, message)

/** The absolute path that a call means, relative ones from the root; refused when it leads out of the root. */
export const pathInRoot = (
  field: string,
  given: string
): Effect.Effect<string, PathOutsideRoot | InvalidInput, RootFolder> =>
  RootFolder.use(({ path: root }): Effect.Effect<string, PathOutsideRoot | InvalidInput> => {
    if (given === "" || given.includes("\0") || !given.isWellFormed()) {
      return Effect.fail(refused(field, "name a file or folder inside the root"))
    }
    return Effect.try({
      try: () => ({ path: followed(resolve(root, given)), root: followed(root) }),
      catch: (error) =>
        refused(field, `the path cannot be followed (${(error as NodeJS.ErrnoException).code})`)
    }).pipe(
      Effect.flatMap((real) =>
        isInside(real.root, real.path)
          ? Effect.succeed(real.path)
          : Effect.fail(new PathOutsideRoot({ field, path: given }))
      )
    )
  })
