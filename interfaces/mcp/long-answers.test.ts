/** Answers that are longer than a model reads: they are cut, say so, and can be read to their end. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCli } from "../cli/testing/in-process.ts"
import {
  DEFAULT_ANSWER_BYTES,
  MAX_ANSWER_BYTES,
  MIN_ANSWER_BYTES,
  withinBudget
} from "../../domain/canonical/answer-budget.ts"
import type { Session } from "./testing/session.ts"
import { sessionsOfTests } from "./testing/sessions.ts"

const { place, start } = sessionsOfTests()

interface Answer {
  readonly ok: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly left_off?: {
    readonly cuts: ReadonlyArray<{ readonly at: string; readonly shown: number; readonly of: number }>
    readonly cut_count: number
    readonly next?: Readonly<Record<string, unknown>>
    readonly more: string
  }
}

/** What a tool answers, and how large the line of the protocol is. */
const ask = async (session: Session, name: string, input: object) => {
  const before = session.lines.length
  const { envelope } = await session.call(name, input)
  const bytes = Buffer.byteLength(session.lines.slice(before).join("\n"))
  return { answer: envelope as unknown as Answer, bytes }
}

/** Follows `next` until an answer is whole. */
const askAll = async (session: Session, name: string, input: object) => {
  const answers: Array<Answer> = []
  let next: object | undefined = {}
  while (next !== undefined) {
    const { answer, bytes } = await ask(session, name, { ...input, ...next })
    expect(bytes).toBeLessThan(2.2 * DEFAULT_ANSWER_BYTES)
    answers.push(answer)
    next = answer.left_off?.next
  }
  return answers
}

const text = `${'a line of text, 😀 and "quotes"\n'.repeat(4_000)}the end`

describe("a long text", () => {
  it("of the corpus comes in parts that make the whole", async () => {
    writeFileSync(join(place.folder, "long.txt"), text)
    await runCli(["index"], { cwd: place.folder })
    await runCli(["symbol", "add", "@DOCS/long", "long.txt"], { cwd: place.folder })
    const session = await start()
    const request = { run_id: "r1", symbol_id: "@DOCS/long", slice: "lines[0:4001]" }
    const answers = await askAll(session, "corpus_resolve", request)
    expect(answers.length).toBeGreaterThan(3)
    expect(answers.map(({ data }) => data["payload"]).join("")).toBe(text)
    expect(answers[0]?.left_off).toMatchObject({
      cuts: [{ at: "/data/payload", of: [...text].length }],
      more: expect.stringContaining(`at most ${MAX_ANSWER_BYTES}`)
    })
    const { answer } = await ask(session, "corpus_resolve", { ...request, max_bytes: MAX_ANSWER_BYTES })
    expect(answer).toMatchObject({ ok: true, data: { payload: text } })
    expect(answer.left_off).toBeUndefined()
  })

  it("is carried once: a short answer alone stands there as structured content too", async () => {
    const session = await start()
    const think = (content: string) =>
      session.request("tools/call", {
        name: "thought_record",
        arguments: { type: "plan", task_id: "t", agent_id: "a", content }
      })
    expect((await think("short")).result).toHaveProperty("structuredContent")
    expect((await think("x".repeat(5_000))).result).not.toHaveProperty("structuredContent")
  })

  it("of a memory comes in parts, and so does the text of a symbol", async () => {
    await runCli(["network", "init"], { cwd: place.folder })
    const session = await start()
    const { symbol } = await session.data("memory_save", { text, cassette: "memory" })
    for (const [tool, argument, field] of [
      ["memory_recall", "hash", "text"],
      ["symbol_resolve", "symbol", "content"]
    ] as const) {
      const answers = await askAll(session, tool, { [argument]: symbol })
      expect(answers.map(({ data }) => data[field]).join("")).toBe(text)
    }
  })
})

describe("a long list", () => {
  it("of thoughts is read to its end by what next says", async () => {
    const session = await start()
    for (let number = 0; number < 120; number++) {
      const content = `${number} ${"x".repeat(1_000)}`
      await session.data("thought_record", { type: "plan", task_id: "t", agent_id: "a", content })
    }
    const answers = await askAll(session, "thought_record_list", { task_id: "t" })
    expect(answers.length).toBeGreaterThan(3)
    const contents = answers.flatMap(({ data }) => data["records"] as ReadonlyArray<{ content: string }>)
    expect(contents.map(({ content }) => Number.parseInt(content, 10))).toEqual(
      Array.from({ length: 120 }, (_, number) => number)
    )
    const { answer, bytes } = await ask(session, "thought_record_list", { max_bytes: MIN_ANSWER_BYTES })
    expect(answer.left_off?.cuts[0]).toMatchObject({ at: "/data/records", of: 120 })
    expect(bytes).toBeLessThan(3 * MIN_ANSWER_BYTES)
  })

  it("of places is short in every hit, and tells how many there are", async () => {
    await runCli(["network", "init"], { cwd: place.folder })
    for (let number = 0; number < 400; number++) {
      writeFileSync(join(place.folder, `copy-of-the-same-text-${number}.md`), "# Same\n\nthe same words\n")
    }
    await runCli(["network", "index"], { cwd: place.folder })
    const session = await start()
    const { answer, bytes } = await ask(session, "semantic_search", { query: "same words" })
    expect(answer.data["hits"]).toMatchObject([{ place_count: 400 }])
    expect(answer.left_off).toBeUndefined()
    expect(bytes).toBeLessThan(2 * MIN_ANSWER_BYTES)
  })
})

describe("a resource", () => {
  it("has the same budget, and more is read by the address", async () => {
    const session = await start()
    await session.data("message_post", { run_id: "r001", source: "USER", payload: {} })
    const read = async (uri: string) => {
      const { result } = await session.request("resources/read", { uri })
      const [content] = (result as { contents: ReadonlyArray<{ text: string }> }).contents
      return content?.text ?? ""
    }
    expect(JSON.parse(await read("cortex://run/r001?max_bytes=4096"))).toMatchObject({ jobs: 1 })
    expect(JSON.parse(await read("cortex://run/r001"))).toMatchObject({ jobs: 1 })
    const long = { list: Array.from({ length: 10_000 }, (_, n) => n) }
    expect(withinBudget(long, MIN_ANSWER_BYTES, { more: "ask for more" })).toMatchObject({
      left_off: { cuts: [{ at: "/list", of: 10_000 }], more: "ask for more" }
    })
  })
})

describe("corpus_list", () => {
  const listed = async (session: Session, input: object) => {
    const { entries, next_after } = await session.data("corpus_list", input)
    return { ids: (entries as ReadonlyArray<{ id: string; path: string }>).map(({ id }) => id), next_after }
  }

  it("lets a model that knows no name begin, and what it gives can be read", async () => {
    writeFileSync(join(place.folder, "guide.md"), "# Guide\n\n## Install\n\nrun it\n\n## Use\n\nuse it\n")
    writeFileSync(join(place.folder, "notes.md"), "# Notes\n")
    await runCli(["index"], { cwd: place.folder })
    await runCli(["symbol", "add", "@DOCS/guide", "guide.md"], { cwd: place.folder })
    await runCli(["symbol", "add", "@NOTES/all", "notes.md"], { cwd: place.folder })
    const session = await start()
    expect(await listed(session, { kind: "symbols" })).toEqual({
      ids: ["@DOCS/guide", "@NOTES/all"],
      next_after: null
    })
    expect((await listed(session, { kind: "symbols", prefix: "@NOTES/" })).ids).toEqual(["@NOTES/all"])
    const { entries } = await session.data("corpus_list", { kind: "sections", query: "INSTALL" })
    expect(entries).toMatchObject([{ path: "guide.md", heading: "Guide/Install" }])
    const [{ id } = { id: "" }] = entries as ReadonlyArray<{ id: string }>
    const read = await session.data("corpus_resolve", { symbol_id: id, run_id: "r", slice: "lines[0:3]" })
    expect(read["payload"]).toContain("run it")
    expect((await listed(session, { kind: "sections", path: "notes.md" })).ids).toHaveLength(1)
    expect((await listed(session, { kind: "sections", prefix: "gui" })).ids.length).toBeGreaterThan(1)
  })

  it("goes on behind the last entry until the end, in the order of the list", async () => {
    writeFileSync(
      join(place.folder, "many.md"),
      Array.from({ length: 25 }, (_, n) => `# Part ${n}\n`).join("\n")
    )
    await runCli(["index"], { cwd: place.folder })
    const session = await start()
    const whole = await listed(session, { kind: "sections", limit: 1_000 })
    const ids: Array<string> = []
    let after: unknown = undefined
    do {
      const page = await listed(session, {
        kind: "sections",
        limit: 4,
        ...(after === undefined ? {} : { after })
      })
      ids.push(...page.ids)
      after = page.next_after
    } while (after !== null)
    expect(ids).toEqual(whole.ids)
    expect(whole.ids.length).toBeGreaterThanOrEqual(25)
  })
})
