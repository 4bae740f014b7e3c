// Whether what the process was given is text. Node decodes arguments, variables and the current folder as UTF-8 and puts
// U+FFFD in the place of bytes that are not: two runs become one, and a path another one. Where the system shows the
// bytes themselves they are compared, so that an honest U+FFFD passes; elsewhere U+FFFD is refused.

/** What Node decoded. */
interface Decoded {
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string | undefined }
  readonly cwd: string
}

/** The bytes behind it, each undefined where the system does not show them. */
export interface RawText {
  /** The command line, each argument with a zero byte behind it. */
  readonly commandLine: () => Buffer | undefined
  /** `NAME=VALUE` entries, each with a zero byte behind it. */
  readonly environment: () => Buffer | undefined
  readonly folder: () => Buffer | undefined
}

const REPLACEMENT = "\ufffd"

/** The variables that name things. */
const variables = ["CORTEX_ROOT", "CORTEX_AGENT"] as const

/** The parts of bytes that have a zero byte behind them. */
const partsOf = (bytes: Buffer): ReadonlyArray<Buffer> => {
  const parts: Array<Buffer> = []
  let begin = 0
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, begin)) {
    parts.push(bytes.subarray(begin, end))
    begin = end + 1
  }
  return parts
}

/** Why a text is refused: its bytes are not its own UTF-8, or cannot be seen. */
const faultOf = (text: string, raw: Buffer | undefined): string | undefined => {
  if (raw === undefined) return "it holds U+FFFD, which stands for bytes that are not UTF-8"
  return raw.equals(Buffer.from(text)) ? undefined : "it is not UTF-8"
}

const argumentName = (args: ReadonlyArray<string>, index: number): string => {
  const [, own] = /^(--[\w-]+)=/.exec(args[index] ?? "") ?? []
  const before = args[index - 1] ?? ""
  return own ?? (/^--[\w-]+$/.test(before) ? before : `argument ${index + 1}`)
}

const argumentFault = (args: ReadonlyArray<string>, raw: RawText): string | undefined => {
  if (!args.some((arg) => arg.includes(REPLACEMENT))) return undefined
  const line = raw.commandLine()
  const parts = line === undefined ? [] : partsOf(line).slice(-args.length)
  for (const [index, arg] of args.entries()) {
    const fault = arg.includes(REPLACEMENT) ? faultOf(arg, parts[index]) : undefined
    if (fault !== undefined) return `${argumentName(args, index)}: ${fault}`
  }
  return undefined
}

const variableFault = (env: Decoded["env"], raw: RawText): string | undefined => {
  for (const name of variables) {
    const value = env[name]
    if (value?.includes(REPLACEMENT) !== true) continue
    const prefix = Buffer.from(`${name}=`)
    const entry = partsOf(raw.environment() ?? Buffer.of()).find(
      (part) => part.length >= prefix.length && part.subarray(0, prefix.length).equals(prefix)
    )
    const fault = faultOf(value, entry?.subarray(prefix.length))
    if (fault !== undefined) return `${name}: ${fault}`
  }
  return undefined
}

const folderFault = (cwd: string, raw: RawText): string | undefined => {
  const fault = cwd.includes(REPLACEMENT) ? faultOf(cwd, raw.folder()) : undefined
  return fault === undefined ? undefined : `the current folder's name: ${fault}`
}

/** Why what was given cannot be taken as text, in one sentence that says what to do; undefined when it can. */
export const notTextOf = ({ args, cwd, env }: Decoded, raw: RawText): string | undefined => {
  const fault = argumentFault(args, raw) ?? variableFault(env, raw) ?? folderFault(cwd, raw)
  return fault === undefined ? undefined : `${fault}: give names, paths and texts in UTF-8`
}
