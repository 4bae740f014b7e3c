// What is wrong with data that does not fit its schema, in plain sentences: which member, and what is allowed there. The
// data itself is never repeated: it may be secret, huge, or made to garble a terminal.
import * as SchemaIssue from "effect/SchemaIssue"

/** One thing that is wrong. */
export interface PlainIssue {
  /** The keys that lead to it; none for the whole value. */
  readonly path: ReadonlyArray<string | number>
  /** The rest of a sentence that begins with its place. */
  readonly message: string
}

/** What a person calls the types that schemas name. */
const typeNames: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["boolean", "true or false"],
  ["object", "an object"],
  ["array", "a list"],
  ["an integer", "a whole number"]
])

const EXPECTED = "Expected "

/** `string | null` as `a string or null`. */
const allowed = (expected: string): string =>
  expected
    .split(" | ")
    .map((each) => typeNames.get(each) ?? each)
    .join(" or ")

const unknownKey = ({ ast }: SchemaIssue.UnexpectedKey): string => {
  const known = "propertySignatures" in ast ? ast.propertySignatures.map(({ name }) => String(name)) : []
  return `is not known here: ${known.length === 0 ? "leave it out" : `allowed are ${known.join(", ")}`}`
}

const leafMessage = (issue: SchemaIssue.Leaf): string => {
  if (issue._tag === "MissingKey") return "is missing"
  return issue._tag === "UnexpectedKey" ? unknownKey(issue) : SchemaIssue.defaultLeafHook(issue)
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafMessage })

const keyOf = (part: unknown): string | number => {
  const key = typeof part === "object" && part !== null && "key" in part ? part.key : part
  return typeof key === "number" ? key : String(key)
}

/** Everything that is wrong, in the order of the schema. */
export const plainIssues = (issue: SchemaIssue.Issue): ReadonlyArray<PlainIssue> =>
  format(issue).issues.map(({ message, path = [] }) => {
    const rule = message.startsWith(EXPECTED) ? `must be ${allowed(message.slice(EXPECTED.length))}` : message
    const isWhole = path.length === 0 && rule !== message
    return { path: path.map(keyOf), message: isWhole ? `the value ${rule}` : rule }
  })

/** A path as a JSON pointer. */
export const pointerOf = (path: ReadonlyArray<string | number>): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
