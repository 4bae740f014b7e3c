// What a refused field is called on the command line. The ledger names fields by JSON pointers; a person typed flags,
// and is told the flag that the value came from. It only names, and never changes what is refused.

/** Fields whose flags are not spelled from their names. */
const otherFlags: { readonly [field: string]: ReadonlyArray<string> } = {
  payload: ["json"],
  receipt_payload: ["receipt"],
  requested_by: ["by"],
  fencing_token: ["token"],
  ttl_seconds: ["ttl"],
  filename: ["db", "root"],
  limit: ["last"]
}

/** Fields inside of others that have a flag of their own. */
const flagsOfPaths: { readonly [path: string]: string } = {
  "/claim/worker_id": "--claim",
  "/claim/ttl_seconds": "--claim-ttl"
}

/** Fields that stand in a file alone, although a flag has a name like theirs. */
const inFiles: ReadonlySet<string> = new Set(["request_id"])

const isTyped = (args: ReadonlyArray<string>, flag: string): boolean =>
  args.some((arg) => arg === flag || arg.startsWith(`${flag}=`))

/** `run_id` is asked for as `--run-id`, `worker_id` as `--worker`. */
const flagOf = (args: ReadonlyArray<string>, field: string): string | undefined => {
  if (inFiles.has(field)) return undefined
  const others = Object.hasOwn(otherFlags, field) ? (otherFlags[field] ?? []) : []
  const names = [field.replaceAll("_", "-"), field.replace(/_id$/, ""), ...others]
  return names.map((name) => `--${name}`).find((flag) => isTyped(args, flag))
}

/** The beginning of a sentence about the field at a JSON pointer: `--source: `, `--json /steps/0: `, or the pointer. */
export const typedName = (args: ReadonlyArray<string>, path: string): string => {
  if (path === "") return ""
  const own = Object.hasOwn(flagsOfPaths, path) ? flagsOfPaths[path] : undefined
  if (own !== undefined && isTyped(args, own)) return `${own}: `
  const keys = path.startsWith("/") ? path.slice(1).split("/") : []
  for (const [index, key] of keys.entries()) {
    const flag = flagOf(args, key)
    if (flag !== undefined) {
      const rest = keys.slice(index + 1).map((part) => `/${part}`)
      return `${[flag, ...(rest.length === 0 ? [] : [rest.join("")])].join(" ")}: `
    }
  }
  return `${path}: `
}
