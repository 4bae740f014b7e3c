// Front matter: the settings that many programs write at the top of a Markdown file, between two lines `---` (YAML) or
// `+++` (TOML). CommonMark does not know it and reads a rule and a heading there. What does not look like settings
// stays Markdown, so that a rule at the top stays a rule.

interface Form {
  readonly closes: RegExp
  /** A line that only settings begin with. */
  readonly setting: RegExp
  /** A line at the margin that may stand among settings. */
  readonly allowed: RegExp
}

const yaml: Form = {
  closes: /^(?:---|\.\.\.)[ \t]*$/,
  setting:
    /^(?:"[^"]*"|'[^']*'|[^\s#"'`:>|?&*!%@[\]{}-][^:]*|[^\s#"'`:>|?&*!%@[\]{}][^:\s][^:]*)[ \t]*:(?:[ \t]|$)/,
  allowed: /^(?:[ \t]|$|#|- |-$|[\]}])/
}
const toml: Form = {
  closes: /^\+\+\+[ \t]*$/,
  setting: /^(?:[\w"'][^=]*=|\[)/,
  allowed: /^/
}

/** The text of each line from the top, read as far as it is asked for. */
function* linesOf(text: string): Generator<string> {
  const ends = /\r\n|\r|\n/g
  let from = 0
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    yield text.slice(from, end.index)
    from = ends.lastIndex
  }
  yield text.slice(from)
}

const formOf = (line: string | undefined): Form | undefined =>
  line === undefined ? undefined : /^---[ \t]*$/.test(line) ? yaml : toml.closes.test(line) ? toml : undefined

/** How many lines at the top of a text are front matter, with the lines around it; 0 when there is none. */
export const frontMatterLines = (text: string): number => {
  const lines = linesOf(text)
  const form = formOf(lines.next().value)
  if (form === undefined) return 0
  let count = 1
  let hasSetting = false
  let isAfterBlank = false
  for (const line of lines) {
    count += 1
    if (form.closes.test(line)) return hasSetting ? count : 0
    const isSetting = form.setting.test(line)
    // After a blank line a `#` begins a heading, unless settings stand before it.
    if (!isSetting && !hasSetting && (line.trim() === "" ? false : isAfterBlank || !line.startsWith("#")))
      return 0
    if (!isSetting && !form.allowed.test(line)) return 0
    hasSetting ||= isSetting
    isAfterBlank ||= line.trim() === ""
  }
  return 0
}
