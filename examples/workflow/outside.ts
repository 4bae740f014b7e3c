// The world outside: a bank and a carrier, which note each request in a file and take their time to answer. They do what a key asks
// for once, as real ones do.
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class Outside extends Context.Service<
  Outside,
  {
    /** Does it for an order, unless it was done under this key; answers its number. */
    readonly ask: (what: string, order: string, key: string) => Effect.Effect<string>
  }
>()("example/Outside") {
  static readonly layer = (folder: string) => {
    const file = join(folder, "outside.txt")
    return Layer.succeed(Outside, {
      ask: (what, order, key) =>
        Effect.gen(function* () {
          const isDone = askedIn(folder).some((line) => line.key === key)
          appendFileSync(file, `${what} ${order} ${key} ${isDone ? "again" : "done"}\n`)
          yield* Effect.sync(() => process.stdout.write(`${what} ${order}\n`))
          yield* Effect.sleep("300 millis")
          return `${what}-${key.slice(0, 8)}`
        })
    })
  }
}

/** Every request that came. */
export const askedIn = (folder: string) => {
  const file = join(folder, "outside.txt")
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []
  return lines.map((line) => {
    const [what = "", order = "", key = "", how = ""] = line.split(" ")
    return { what, order, key, how }
  })
}
