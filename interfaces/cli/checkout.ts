// Starts `cortex` from a checkout as quickly as from an installed package: from the bundle of its sources. It must load nothing
// but what Node brings.
import { pathToFileURL } from "node:url"
import { bundledProgram } from "./bundled-sources.ts"

const bundled = (): string => {
  try {
    return bundledProgram()
  } catch (error) {
    const { message, stderr } = error as Error & { readonly stderr?: Buffer }
    const said = (stderr?.toString() || message).replaceAll(/^ +at .*$/gm, "").trim()
    console.error(`error: this checkout's sources could not be bundled. Correct what is named here:\n${said}`)
    process.exit(3)
  }
}

const program = bundled()
// Processes that the command starts of itself begin with the bundle.
process.argv[1] = program
await import(pathToFileURL(program).href)
