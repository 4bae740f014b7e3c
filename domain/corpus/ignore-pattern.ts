// Patterns of .gitignore files, as git reads them (gitignore(5)): lines become rules, and rules say of a path whether it is
// left out. git compares bytes, so that `?` is one byte of a name and not a character: every text here is a string with one
// unit (0 to 255) for each byte of UTF-8. Matching takes time in proportion to the length of pattern times path, at most.

/** One rule of a file. */
export interface IgnoreRule {
  /** It keeps what it matches. */
  readonly isNegated: boolean
  /** It speaks of folders alone. */
  readonly isForFolders: boolean
  /** `path` is relative to the folder that the rules are for, `name` its last part. */
  readonly matches: (path: string, name: string) => boolean
}

/** A step of a pattern: one byte; any number of bytes; or a choice between the next step and the one after three. */
type Step =
  | { readonly kind: "byte"; readonly isFit: (byte: number) => boolean }
  | { readonly kind: "any"; readonly alsoSlash: boolean }
  | { readonly kind: "choice" }

const SLASH = 0x2f

/** True for the bytes of the ranges, which are written as pairs of first and last. */
const within =
  (...ranges: ReadonlyArray<string>) =>
  (byte: number): boolean =>
    ranges.some((range) => byte >= range.charCodeAt(0) && byte <= range.charCodeAt(range.length - 1))

/** The classes of characters that have a name, in ASCII; white space is what git takes for it. */
const NAMED: Readonly<Record<string, (byte: number) => boolean>> = {
  alnum: within("09", "AZ", "az"),
  alpha: within("AZ", "az"),
  blank: within(" ", "\t"),
  cntrl: within("\u0000\u001f", "\u007f"),
  digit: within("09"),
  graph: within("!~"),
  lower: within("az"),
  print: within(" ~"),
  punct: within("!/", ":@", "[`", "{~"),
  space: within(" ", "\t\n", "\r"),
  upper: within("AZ"),
  xdigit: within("09", "AF", "af")
}

/** A bracket expression that was read: where it ends, and what it fits. */
interface Bracket {
  readonly end: number
  readonly isFit: (byte: number) => boolean
}

/** Reads `[…]` whose first unit behind the bracket is at `start`; undefined for one that no name can match. */
const bracketAt = (pattern: string, start: number): Bracket | undefined => {
  const isNegated = pattern[start] === "!" || pattern[start] === "^"
  const first = isNegated ? start + 1 : start
  const members: Array<(byte: number) => boolean> = []
  /** What stands before a hyphen, if it can begin a range. */
  let from: string | undefined
  let at = first
  // A closing bracket at the beginning is a member.
  for (; at === first || pattern[at] !== "]"; at++) {
    const name = pattern[at] === "[" && pattern[at + 1] === ":" ? nameAt(pattern, at + 2) : undefined
    if (name === null) return undefined
    if (name !== undefined) {
      const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined
      if (named === undefined) return undefined
      members.push(named)
      at += name.length + 3
      from = undefined
      continue
    }
    const next = pattern[at + 1]
    const isRange = pattern[at] === "-" && from !== undefined && next !== undefined && next !== "]"
    if (isRange) at += 1
    if (pattern[at] === "\\") at += 1
    const unit = pattern[at]
    if (unit === undefined) return undefined
    members.push(within(isRange ? `${from}${unit}` : unit))
    from = isRange ? undefined : unit
  }
  return {
    end: at,
    isFit: (byte) => byte !== SLASH && members.some((isMember) => isMember(byte)) !== isNegated
  }
}

/** The name in `[:name:]`; undefined where the brackets hold no such thing, null where they do not close. */
const nameAt = (pattern: string, start: number): string | null | undefined => {
  const end = pattern.indexOf("]", start)
  if (end === -1) return null
  return end > start && pattern[end - 1] === ":" ? pattern.slice(start, end - 1) : undefined
}

/** The steps for a run of asterisks from `at` to `end`. */
const asterisks = (pattern: string, at: number, end: number): ReadonlyArray<Step> => {
  const isAlone = end - at > 1 && (at === 0 || pattern[at - 1] === "/")
  const isFolders = isAlone && pattern[end] === "/"
  const isOpen = isFolders || (isAlone && (end === pattern.length || pattern.startsWith("\\/", end)))
  const any: Step = { kind: "any", alsoSlash: isOpen }
  // `**/` may stand for no folder at all; its slash is the step behind the next one.
  return isFolders ? [{ kind: "choice" }, any] : [any]
}

/** The steps of a pattern; undefined for one that no path can match. */
const stepsOf = (pattern: string): ReadonlyArray<Step> | undefined => {
  const steps: Array<Step> = []
  const literal = (unit: string): void => {
    const byte = unit.charCodeAt(0)
    steps.push({ kind: "byte", isFit: (other) => other === byte })
  }
  for (let at = 0; at < pattern.length; at++) {
    const unit = pattern[at]!
    if (unit === "*") {
      let end = at + 1
      while (pattern[end] === "*") end += 1
      steps.push(...asterisks(pattern, at, end))
      at = end - 1
    } else if (unit === "?") steps.push({ kind: "byte", isFit: (byte) => byte !== SLASH })
    else if (unit === "[") {
      const bracket = bracketAt(pattern, at + 1)
      if (bracket === undefined) return undefined
      steps.push({ kind: "byte", isFit: bracket.isFit })
      at = bracket.end
    } else if (unit === "\\") {
      at += 1
      if (at === pattern.length) return undefined
      literal(pattern[at]!)
    } else literal(unit)
  }
  return steps
}

/** Marks what can be reached without a byte. */
const reach = (steps: ReadonlyArray<Step>, states: Uint8Array): void => {
  for (const [at, { kind }] of steps.entries()) {
    if (states[at] === 0 || kind === "byte") continue
    states[at + 1] = 1
    if (kind === "choice") states[at + 3] = 1
  }
}

const fits = (steps: ReadonlyArray<Step>, text: string): boolean => {
  let states = new Uint8Array(steps.length + 1)
  let next = new Uint8Array(steps.length + 1)
  states[0] = 1
  reach(steps, states)
  for (let place = 0; place < text.length; place++) {
    const byte = text.charCodeAt(place)
    next.fill(0)
    for (const [at, step] of steps.entries()) {
      if (states[at] === 0 || step.kind === "choice") continue
      if (step.kind === "any") next[at] = step.alsoSlash || byte !== SLASH ? 1 : 0
      else if (step.isFit(byte)) next[at + 1] = 1
    }
    reach(steps, next)
    ;[states, next] = [next, states]
  }
  return states[steps.length] === 1
}

const special = /[*?[\\]/

/** What a pattern matches: what stands before its first special unit as it is, the rest by its steps. */
const matcher = (pattern: string, isForNames: boolean): ((text: string) => boolean) => {
  const found = pattern.search(special)
  if (found === -1) return (text) => text === pattern
  const [prefix, rest] = [pattern.slice(0, found), pattern.slice(found)]
  const ending = rest.slice(1)
  if (isForNames && pattern.startsWith("*") && !special.test(ending)) return (text) => text.endsWith(ending)
  const steps = stepsOf(rest)
  if (steps === undefined) return () => false
  return (text) => text.startsWith(prefix) && fits(steps, text.slice(prefix.length))
}

/** A line without the blanks at its end, unless a backslash stands before one. */
const trimmed = (line: string): string => {
  let end = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") {
      at += 1
      if (at === line.length) return line
      end = at + 1
    } else if (line[at] !== " ") end = at + 1
  }
  return line.slice(0, end)
}

const ruleOf = (line: string): ReadonlyArray<IgnoreRule> => {
  const isNegated = line.startsWith("!")
  const given = isNegated ? line.slice(1) : line
  const isForFolders = given.endsWith("/")
  const pattern = isForFolders ? given.slice(0, -1) : given
  if (pattern === "") return []
  const isForNames = !pattern.includes("/")
  const matches = matcher(pattern.startsWith("/") ? pattern.slice(1) : pattern, isForNames)
  return [{ isNegated, isForFolders, matches: (path, name) => matches(isForNames ? name : path) }]
}

/** The rules of a file's text, in their order. */
export const ignoreRulesOf = (text: string): ReadonlyArray<IgnoreRule> =>
  (text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text)
    .split("\n")
    .map((line) => line.replace(/\r$/, "").replace(/\0.*$/s, ""))
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => ruleOf(trimmed(line)))

/** Whether a path is left out by these rules: the last one that matches decides; undefined when none does. */
export const ignoreVerdict = (
  rules: ReadonlyArray<IgnoreRule>,
  path: string,
  isFolder: boolean
): boolean | undefined => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const rule = rules.findLast((each) => (isFolder || !each.isForFolders) && each.matches(path, name))
  return rule === undefined ? undefined : !rule.isNegated
}
