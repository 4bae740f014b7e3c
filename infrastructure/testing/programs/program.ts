// The programs that tests start. A whole run of the tests has bundled them once and names their folder, since a bundle starts in
// less than half of the time of the sources; a run of chosen files starts the sources.
import { basename, join } from "node:path"

const root = join(import.meta.dirname, "..", "..", "..")

/** The file of a program, by the path of its source in this repository; `build/tests.config.ts` lists those that are bundled. */
export const programOf = (source: string): string => {
  const folder = process.env["TEST_PROGRAMS"]
  return folder === undefined ? join(root, source) : join(folder, `${basename(source, ".ts")}.js`)
}
