/**
 * Cartridges for tests: exported, read to the end, imported. Nothing outside tests may import it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CartridgeRefused } from "../../../domain/network/errors.ts"
import { exportCassette } from "../cartridge-export.ts"
import { openCartridge } from "../cartridge-files.ts"
import { eachBatch, importCartridge, openedCartridge } from "../cartridge-import.ts"
import { readCartridge } from "../cartridge-reading.ts"

/** Exports a cassette's file. */
export const exported = (id: string, file: string, target: string, form: "folder" | "tar" = "folder") =>
  Effect.runPromise(exportCassette({ id, file }, target, form))

/** Imports a cartridge, or tells why not. */
export const imported = (path: string, file: string) =>
  Effect.runPromise(
    Effect.result(
      Effect.scoped(Effect.flatMap(openedCartridge(path), (reader) => importCartridge(path, reader, file)))
    )
  )

/** Why a cartridge is refused, or undefined when it is whole. */
export const refusalOf = (path: string): CartridgeRefused | undefined => {
  const outcome = Effect.runSync(
    Effect.result(
      Effect.scoped(
        Effect.flatMap(openedCartridge(path), (reader) => eachBatch(path, reader, () => Effect.void))
      )
    )
  )
  return Result.isFailure(outcome) ? (outcome.failure as CartridgeRefused) : undefined
}

/** The files of a cartridge's folder. */
export const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "utf8")])
  )

/** The manifest of a cartridge. */
export const manifestOf = (path: string) => {
  const cartridge = openCartridge(path)
  try {
    return readCartridge(cartridge).manifest
  } finally {
    cartridge.close()
  }
}
