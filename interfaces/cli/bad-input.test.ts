// Bad input, case by case, through the same main function as the binary: each is one typed error with its exit code,
// says what to do, shows no stack, and leaves the folder as it was.
import { mkdirSync, readdirSync, readFileSync, lstatSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAX_PAYLOAD_BYTES } from "../../domain/ledger/limits.ts"
import { MAX_JSON_FILE_BYTES } from "./json-file.ts"
import { documentOf, runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const root = join(folder, "root")
const fresh = join(folder, "fresh")
const good = join(folder, "good.json")
const step = "step_0000000000002_fb92b9df8aff4187.0001.00001"

const file = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Every file below a folder with its size and the time of its last change. */
const listing = (path: string): ReadonlyArray<string> =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const below = join(entry.parentPath, entry.name)
      const { mtimeMs, size } = lstatSync(below)
      return entry.isFile() ? `${below} ${size} ${mtimeMs}` : below
    })
    .sort()

const post = (...more: ReadonlyArray<string>) => [
  "cassette",
  "post",
  "--json",
  good,
  "--run-id",
  "r1",
  "--source",
  "USER",
  ...more
]
const claim = (...more: ReadonlyArray<string>) => [
  "cassette",
  "claim",
  "--run-id",
  "r1",
  "--worker",
  "w1",
  ...more
]
const complete = (token: string, outcome = "SUCCESS", receipt = good) => [
  "cassette",
  "complete",
  "--run-id",
  "r1",
  "--step",
  step,
  "--worker",
  "w1",
  "--token",
  token,
  "--receipt",
  receipt,
  "--outcome",
  outcome
]
const renew = ["cassette", "renew", "--run-id", "r1", "--step", step, "--worker", "w1", "--token", "1"]
const requeueIn = (run: string, ...more: ReadonlyArray<string>) => [
  "cassette",
  "requeue",
  "--run-id",
  run,
  "--step",
  step,
  "--reason",
  "because",
  ...more
]

const requeue = (...more: ReadonlyArray<string>) => requeueIn("r1", ...more)

beforeAll(async () => {
  mkdirSync(root)
  mkdirSync(fresh)
  file("good.json", '{"intent":"tidy"}')
  const posted = await runCli(post("--root", root), { cwd: folder })
  expect(posted).toMatchObject({ code: 0, stderr: "" })
})

type Case = readonly [name: string, args: ReadonlyArray<string>, code: string, message: string]

/** Refused with this code and message, in both formats, and nothing is written anywhere. */
const refuses = (exit: number, cases: ReadonlyArray<Case>) => {
  it.each(cases)("%s", async (_, args, code, message) => {
    const before = listing(folder)
    const asText = await runCli(args, { cwd: folder })
    const asJson = await runJson(args, { cwd: folder })
    expect(asText.code).toBe(exit)
    expect(asText.stdout).toBe("")
    expect(asText.stderr).toContain(message)
    expect(asText.stderr).not.toMatch(/\n\s+at /)
    expect(asJson.code).toBe(exit)
    expect(asJson.document.ok).toBe(false)
    expect(asJson.document.error?.code).toBe(code)
    expect(asJson.document.error?.message).toContain(message)
    expect(listing(folder)).toEqual(before)
  })
}

const loop = join(folder, "loop")
const long = "x".repeat(300)
const claimIn = (...place: ReadonlyArray<string>) => claim(...place)

describe("names and places of files", () => {
  beforeAll(() => symlinkSync("loop", loop))

  const names: ReadonlyArray<readonly [name: string, given: string, message: string]> = [
    ["an empty name", "", "name a file"],
    ["a blank name", " ", "name a file"],
    ["a name that ends with a blank", "a.db ", "ends with a blank"],
    ["a database in memory, with a blank before it", " :memory:", "a database in memory"],
    ["a URI", "file:a.db?mode=ro", "not by a URI"],
    ["a path through a file", join(good, "a.db"), "is a file and no folder"],
    ["a name that is too long", long, "too long"],
    ["a link to itself", loop, "leads to itself"]
  ]
  refuses(
    2,
    names.flatMap(([name, given, message]): ReadonlyArray<Case> => [
      [`${name} to post to`, post("--db", given), "INVALID_PARAMS", message],
      [`${name} to claim from`, claimIn("--db", given), "INVALID_PARAMS", message],
      [`${name} to verify`, ["cassette", "verify", "--db", given], "INVALID_PARAMS", message]
    ])
  )

  const backup = (target: string) => ["cassette", "backup", target, "--root", root]
  refuses(2, [
    ["a root that is a file", post("--root", good), "INVALID_PARAMS", "there is no folder"],
    [
      "a root through a file",
      claimIn("--root", join(good, "x")),
      "INVALID_PARAMS",
      "is a file and no folder"
    ],
    ["a root whose name is too long", post("--root", long), "INVALID_PARAMS", "too long"],
    ["a root that is a link to itself", post("--root", loop), "INVALID_PARAMS", "leads to itself"],
    [
      "a root that is a link to itself, to read",
      claimIn("--root", loop),
      "INVALID_PARAMS",
      "leads to itself"
    ],
    ["a backup to a name that ends with a blank", backup("b.db "), "INVALID_PARAMS", "ends with a blank"],
    ["a backup through a file", backup(join(good, "b.db")), "INVALID_PARAMS", "there is no folder"],
    ["a backup to a name that is too long", backup(long), "INVALID_PARAMS", "too long"],
    ["a backup through a link to itself", backup(join(loop, "b.db")), "INVALID_PARAMS", "leads to itself"],
    ["a backup to a link to itself", backup(loop), "INVALID_PARAMS", "the file exists"]
  ])
})

const text = (units: number) => "x".repeat(units)
const into = ["--root", fresh]

describe("ids and words", () => {
  refuses(2, [
    [
      "an empty run id",
      ["cassette", "claim", "--run-id", "", "--worker", "w", ...into],
      "INVALID_PARAMS",
      "--run-id: "
    ],
    [
      "an over-long run id",
      ["cassette", "claim", "--run-id", text(257), "--worker", "w"],
      "INVALID_PARAMS",
      "1 to 256"
    ],
    [
      "256 characters over 256 bytes",
      ["cassette", "claim", "--run-id", "é".repeat(129), "--worker", "w"],
      "INVALID_PARAMS",
      "1 to 256"
    ],
    [
      "half a surrogate pair in an id",
      ["cassette", "claim", "--run-id", "a\ud800", "--worker", "w"],
      "INVALID_PARAMS",
      "--run-id: "
    ],
    [
      "NUL in an id",
      ["cassette", "claim", "--run-id", "a\0", "--worker", "w"],
      "INVALID_PARAMS",
      "--run-id: "
    ],
    [
      "a control character in a worker",
      ["cassette", "claim", "--run-id", "r", "--worker", "a\u001b"],
      "INVALID_PARAMS",
      "--worker: "
    ],
    ["an empty key", post("--idempotency-key", "", ...into), "INVALID_PARAMS", "--idempotency-key: "],
    [
      "a source that does not exist",
      ["cassette", "post", "--json", good, "--run-id", "r", "--source", "user", ...into],
      "INVALID_PARAMS",
      "Invalid source"
    ],
    ["an outcome that does not exist", complete("1", "DONE"), "INVALID_PARAMS", "Invalid outcome"],
    ["a job id that is none", claim("--job", "job_1", "--root", root), "INVALID_PARAMS", "--job: "],
    [
      "an empty reason",
      ["cassette", "requeue", "--run-id", "r", "--step", step, "--reason", " "],
      "INVALID_PARAMS",
      "--reason: "
    ],
    [
      "an over-long reason",
      ["cassette", "requeue", "--run-id", "r", "--step", step, "--reason", text(65_537)],
      "INVALID_PARAMS",
      "--reason: "
    ],
    ["an empty requester", requeue("--by", ""), "INVALID_PARAMS", "--by: "],
    [
      "an empty run id to verify",
      ["cassette", "verify", "--run-id", "", "--root", root],
      "INVALID_PARAMS",
      "--run-id: "
    ],
    [
      "an empty run id to show",
      ["cassette", "status", "--run-id", "", "--root", root],
      "INVALID_PARAMS",
      "--run-id: "
    ],
    [
      "an over-long run id to list",
      ["cassette", "log", "--run-id", text(257), "--root", root],
      "INVALID_PARAMS",
      "--run-id: "
    ],
    [
      "a time that is none",
      ["cassette", "verify", "--now", "2026-02-30T00:00:00.000Z", "--root", root],
      "INVALID_PARAMS",
      "--now: "
    ],
    [
      "a time in another form",
      ["cassette", "verify", "--now", "2026-11-27", "--root", root],
      "INVALID_PARAMS",
      "--now: "
    ]
  ])
})

describe("numbers", () => {
  const outside = "whole seconds from 1 to 86400"
  refuses(2, [
    ["ttl 0", claim("--ttl", "0", "--root", root), "INVALID_PARAMS", outside],
    ["ttl over a day", claim("--ttl", "86401", "--root", root), "INVALID_PARAMS", outside],
    ...[
      "-1",
      "1.5",
      "NaN",
      "1e3",
      "0x1",
      "1.0",
      " 1",
      "1 ",
      "+1",
      "01",
      "1_000",
      "",
      "Infinity",
      "９",
      "99999999999999999999"
    ].flatMap((spelling): ReadonlyArray<Case> => [
      [`ttl ${JSON.stringify(spelling)}`, claim("--ttl", spelling, "--root", root), "USAGE", "--ttl"],
      [`token ${JSON.stringify(spelling)}`, complete(spelling), "USAGE", "--token"]
    ]),
    ["limit 0", ["cassette", "log", "--limit", "0", "--root", root], "USAGE", "from 1 on"],
    ["after -1", ["cassette", "log", "--after", "-1", "--root", root], "USAGE", "--after"]
  ])
})

describe("payload files", () => {
  const posting = (path: string): ReadonlyArray<string> => [
    "cassette",
    "post",
    "--json",
    path,
    "--run-id",
    "r1",
    "--source",
    "USER",
    ...into
  ]

  const written: ReadonlyArray<readonly [name: string, json: string, message: string]> = [
    ["no object", "[]", "must be an object"],
    ["no JSON", "{intent: 1}", "line 1, column 2"],
    ["duplicate keys", '{"a":1,"a":2}', "already has that key"],
    ["a number that loses digits", '{"n":9007199254740993}', "no double equals"],
    ["half a surrogate pair", '{"a":"\\udc00"}', "surrogate"],
    ["NUL in a string", '{"a":"\\u0000"}', "U+0000"],
    ["steps that are no list", '{"steps":{}}', "--json /steps: must be a non-empty list"],
    ["no steps", '{"steps":[]}', "--json /steps: must be a non-empty list"],
    ["a step that is no object", '{"steps":[1]}', "--json /steps: must be a non-empty list"],
    ["too deep", `{"a":${"[".repeat(64)}${"]".repeat(64)}}`, "64 levels"],
    ["a payload over the limit", `{"a":"${text(MAX_PAYLOAD_BYTES)}"}`, `over ${MAX_PAYLOAD_BYTES} bytes`],
    ["a file over the limit", `{}${" ".repeat(MAX_JSON_FILE_BYTES)}`, `over ${MAX_JSON_FILE_BYTES} bytes`]
  ]
  refuses(
    2,
    written.map(([name, json, message], index): Case => [
      name,
      posting(file(`payload-${index}.json`, json)),
      "INVALID_PARAMS",
      message
    ])
  )
  refuses(2, [
    ["a missing file", posting("missing.json"), "INVALID_PARAMS", "missing.json: there is no such file"],
    ["a folder", posting(folder), "INVALID_PARAMS", "this is a folder"],
    ["a missing receipt", complete("1", "SUCCESS", "missing.json"), "INVALID_PARAMS", "--receipt: "],
    ["an empty name", posting(""), "INVALID_PARAMS", "name a file"]
  ])

  it("reads standard input within the same rules", async () => {
    const wrong = await runJson(posting("-"), { cwd: folder, stdin: '{"a":1,"a":1}' })
    expect(wrong.code).toBe(2)
    expect(wrong.document.error?.message).toContain("--json: standard input: ")
    expect(listing(fresh)).toEqual([])
  })
})

describe("usage", () => {
  refuses(2, [
    ["no subcommand", ["--root", "."], "USAGE", "cortex needs a subcommand"],
    ["no command of the group", ["cassette"], "USAGE", "cortex cassette needs a subcommand"],
    ["an unknown group", ["casette", "status"], "USAGE", 'Unknown subcommand "casette"'],
    ["an unknown subcommand", ["cassette", "stats"], "USAGE", "Did you mean this? status"],
    ["an unknown flag", ["cassette", "status", "--runid", "r1"], "USAGE", "Unrecognized flag: --runid"],
    ["a flag of another command", ["cassette", "status", "--force"], "USAGE", "Unrecognized flag: --force"],
    ["a missing flag", ["cassette", "claim", "--run-id", "r1"], "USAGE", "Missing required flag: --worker"],
    [
      "a flag without its value",
      ["cassette", "claim", "--run-id", "--worker", "w"],
      "USAGE",
      "Missing value for flag --run-id"
    ],
    ["a flag given twice", claim("--run-id", "r2"), "USAGE", "--run-id"],
    ["an argument too many", ["cassette", "status", "r1"], "USAGE", "r1"],
    [
      "a durability that does not exist",
      ["cassette", "status", "--durability", "none"],
      "USAGE",
      "--durability"
    ],
    ["rebuild without --check or --to", ["cassette", "rebuild", "--root", root], "USAGE", "--check"],
    [
      "rebuild with both",
      ["cassette", "rebuild", "--root", root, "--check", "--to", "r.db"],
      "USAGE",
      "either --check"
    ],
    ["at nothing", ["cassette", "at", "--root", root], "USAGE", "position-or-time"],
    ["a worker without a token", requeue("--worker", "w1"), "USAGE", "go together"],
    ["a token without a worker", requeue("--token", "1"), "USAGE", "go together"],
    ["force and a lease", requeue("--force", "--worker", "w1", "--token", "1"), "USAGE", "not both"],
    ["a backup to standard output", ["cassette", "backup", "-", "--root", root], "USAGE", "needs a file"],
    ["a backup to nowhere", ["cassette", "backup", "--root", root], "USAGE", "file"]
  ])

  refuses(2, [
    [
      "a ledger called -",
      ["cassette", "status", "--db", "-"],
      "INVALID_PARAMS",
      "--db: a file is needed here"
    ],
    [
      "a key from standard input",
      ["cassette", "checkpoint", "--root", root, "--key", "-"],
      "INVALID_PARAMS",
      "--key: a file is needed here"
    ],
    [
      "a root called -",
      ["cassette", "status", "--root", "-"],
      "INVALID_PARAMS",
      "--root: a file is needed here"
    ]
  ])

  it("refuses a format that does not exist", async () => {
    const ran = await runCli(["cassette", "status", "--format", "xml"], { cwd: folder })
    expect(ran).toMatchObject({ code: 2, stdout: "" })
    expect(ran.stderr).toContain("--format")
  })

  it("points to the help of the command in question", async () => {
    const ran = await runCli(["cassette", "claim"], { cwd: folder })
    expect(ran.stderr).toContain("Run cortex cassette claim --help")
  })

  it("escapes what could garble a terminal", async () => {
    const ran = await runCli(["cassette", "\u001b[2J"], { cwd: folder })
    expect(ran.stderr).not.toContain("\u001b")
  })
})

describe("ledger files", () => {
  const other = join(folder, "other.db")
  const newer = join(folder, "newer.db")
  const notes = file(
    "notes.txt",
    "these are notes and no database at all, and the name says otherwise\n".repeat(20)
  )
  const empty = file("empty.db", "")
  const blocked = join(folder, "blocked")

  beforeAll(async () => {
    const database = new Database(other)
    database.exec("CREATE TABLE shopping (item TEXT)")
    database.close()
    await runCli(post("--db", newer), { cwd: folder })
    const future = new Database(newer)
    for (const name of future
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'cassette_meta'")
      .pluck()
      .all()) {
      future.exec(`DROP TRIGGER ${String(name)}`)
    }
    future.exec("UPDATE cassette_meta SET value = '99' WHERE key = 'db_version'")
    future.close()
    mkdirSync(blocked)
    writeFileSync(join(blocked, "CORTEX"), "a file")
  })

  const reading: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["verify", ["cassette", "verify"]],
    ["status", ["cassette", "status"]],
    ["waiting", ["cassette", "waiting"]],
    ["leases", ["cassette", "leases"]],
    ["log", ["cassette", "log"]],
    ["rebuild", ["cassette", "rebuild", "--check"]],
    ["rebuild", ["cassette", "rebuild", "--to", "rebuilt.db"]],
    ["at", ["cassette", "at", "1"]],
    ["prove", ["cassette", "prove", "inclusion", "--event", "1"]],
    ["backup", ["cassette", "backup", "copy.db"]]
  ]
  const appending: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["claim", claim()],
    ["claim", ["cassette", "claim", "--any", "--worker", "w1", "--wait", "60"]],
    ["complete", complete("1")],
    ["renew", renew],
    ["requeue", requeue()]
  ]

  refuses(
    2,
    [...reading, ...appending].flatMap(([name, args]): ReadonlyArray<Case> => [
      [`${name} of a missing ledger`, [...args, ...into], "FILE_MISSING", "There is no"],
      [`${name} of a missing --db`, [...args, "--db", "missing.db"], "FILE_MISSING", "missing.db"],
      [`${name} of an empty file`, [...args, "--db", empty], "NOT_A_LEDGER", "empty"]
    ])
  )
  refuses(
    2,
    [...reading, ...appending, ["post", post()] as const].flatMap(([name, args]): ReadonlyArray<Case> => [
      [`${name} of no database`, [...args, "--db", notes], "NOT_A_LEDGER", "is not a ledger"],
      [`${name} of another database`, [...args, "--db", other], "NOT_A_LEDGER", "is not a ledger"],
      [`${name} of a folder`, [...args, "--db", folder], "NOT_A_LEDGER", "folder"],
      [
        `${name} of a newer ledger`,
        [...args, "--db", newer],
        "STORE_NEWER_THAN_PROGRAM",
        "use a newer program"
      ],
      [`${name} with an empty --db`, [...args, "--db", ""], "INVALID_PARAMS", "--db: name a file"],
      [`${name} in memory`, [...args, "--db", ":memory:"], "INVALID_PARAMS", "name a file"],
      [
        `${name} with an empty --root`,
        [...args, "--root", ""],
        "INVALID_PARAMS",
        "--root: name a file or folder"
      ]
    ])
  )
  refuses(2, [
    [
      "post into a missing root",
      post("--root", join(folder, "nowhere")),
      "INVALID_PARAMS",
      "there is no folder"
    ],
    ["post into a root that is a file", post("--root", notes), "INVALID_PARAMS", "there is no folder"],
    ["post where a file is in the way", post("--root", blocked), "INVALID_PARAMS", "is in the way"],
    [
      "post into a missing folder of --db",
      post("--db", join(folder, "nowhere", "a.db")),
      "FILE_MISSING",
      "nowhere"
    ],
    [
      "backup over a file",
      ["cassette", "backup", good, "--root", root],
      "INVALID_PARAMS",
      "never overwrites"
    ],
    [
      "backup into a missing folder",
      ["cassette", "backup", "nowhere/a.db", "--root", root],
      "INVALID_PARAMS",
      "no folder"
    ]
  ])

  it("leaves a file that is no ledger as it is", async () => {
    const before = readFileSync(notes)
    await runCli(post("--db", notes), { cwd: folder })
    expect(readFileSync(notes).equals(before)).toBe(true)
  })
})

describe("refusals", () => {
  refuses(1, [
    [
      "no step waits",
      ["cassette", "claim", "--run-id", "unknown", "--worker", "w", "--root", root],
      "NO_PENDING_STEP",
      "No pending steps in run unknown"
    ],
    ["a step that is not leased", [...complete("1"), "--root", root], "NOT_LEASED", "it is PENDING"],
    ["a step of another run", [...requeueIn("r2"), "--root", root], "WRONG_RUN", "belongs to run r1"]
  ])

  it("carries an error's own fields as details", async () => {
    const { document } = await runJson([...complete("1"), "--root", root], { cwd: folder })
    expect(document.error?.details).toEqual({ step_id: step, status: "PENDING", receipt: null })
  })
})

describe("defects", () => {
  const defective = { cwd: folder, host: { cwd: undefined as unknown as string } }

  it("are one sentence with what to do, and exit 3", async () => {
    const ran = await runCli(["cassette", "status"], defective)
    expect(ran).toMatchObject({ code: 3, stdout: "" })
    expect(ran.stderr).toMatch(/^error: Something went wrong inside cortex .*CORTEX_DEBUG=1\n$/)
  })

  it("are INTERNAL in a document", async () => {
    const ran = await runCli(["cassette", "status", "--format", "json"], defective)
    expect(ran.code).toBe(3)
    expect(documentOf(ran.stdout).error).toMatchObject({ code: "INTERNAL", details: {} })
  })

  it("show their stack when it is asked for", async () => {
    const host = { ...defective.host, env: { CORTEX_DEBUG: "1" } }
    const ran = await runCli(["cassette", "status"], { cwd: folder, host })
    expect(ran.stderr).toMatch(/\n\s+at /)
  })
})
