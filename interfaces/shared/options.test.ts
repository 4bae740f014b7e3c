// The output format is known before the arguments are parsed, so that errors of parsing are shown in it.
import { describe, expect, it } from "vitest"
import { requestedFormat } from "./options.ts"

describe("requestedFormat", () => {
  it.each([
    [["cassette", "status"], "text"],
    [["--format", "json", "cassette"], "json"],
    [["cassette", "--nope", "--format=json"], "json"],
    [["--format", "text"], "text"],
    [["--format"], "text"],
    [["json", "--format"], "text"],
    [["--", "--format", "json"], "text"],
    [["--formats", "json"], "text"]
  ] as const)("%j is %s", (args, format) => expect(requestedFormat(args)).toBe(format))
})
