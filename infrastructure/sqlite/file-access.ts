// What this process may do with a path, as the operating system says. It loads nothing else, since children start with it.
import { accessSync, constants } from "node:fs"

const may = (path: string, access: number): boolean => {
  try {
    accessSync(path, access)
    return true
  } catch {
    return false
  }
}

/** True when this process may read the file at `path`. */
export const isReadable = (path: string): boolean => may(path, constants.R_OK)

/** True when this process may write the file or into the folder at `path`. */
export const isWritable = (path: string): boolean => may(path, constants.W_OK)
