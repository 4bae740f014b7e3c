// Where the program of a process or a thread is: beside the module that starts it, in the sources, in the package, and in a bundle
// that has it as an entry point. A bundler may end the two in different ways.
import { existsSync } from "node:fs"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * The program of this name beside the module at this place, ending as the module does or as an ES module can. A bundle may have lost
 * it, and one in CommonJS does not know its own place.
 */
export const programBeside = (name: string, here: string | undefined): string | undefined => {
  if (here === undefined) return undefined
  return [extname(fileURLToPath(here)), ".mjs", ".js"]
    .map((extension) => fileURLToPath(new URL(`./${name}${extension}`, here)))
    .find((program) => existsSync(program))
}
