// Makes a folder with those above it that are missing. Node's own recursive making may never return: it goes up and down
// for as long as a file system says of a new name below a folder that exists that the folder is missing, as /proc does.
import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const makeOne = (folder: string): void => {
  try {
    mkdirSync(folder)
  } catch (error) {
    // Made by another process meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isFolder(folder)) throw error
  }
}

/** Makes `folder` (absolute) if it is missing, each name on its way tried once; throws what the operating system says. */
export const makeFolders = (folder: string): void => {
  const missing: Array<string> = []
  for (let at = folder; !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  for (const each of missing.toReversed()) makeOne(each)
}
