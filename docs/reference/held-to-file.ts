// A file of the documents that is made by a program: it is written when UPDATE_SNAPSHOT=1 is set, and compared otherwise.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"

/** Fails if a file of the repository is not this text. */
export const heldToFile = (path: string, text: string): void => {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  if (process.env["UPDATE_SNAPSHOT"] === "1") writeFileSync(file, text)
  expect(readFileSync(file, "utf8"), `${path} is old: run this test with UPDATE_SNAPSHOT=1`).toBe(text)
}
