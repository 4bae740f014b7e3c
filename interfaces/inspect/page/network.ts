// The network's part: how each cassette is, and a search with the answers of `cortex network query`.
import type { CassetteHealth } from "../../../application/network/hub.ts"
import type { MergedAnswer } from "../../../application/network/answers.ts"
import type { Hit } from "../../../domain/network/cassette.ts"
import { ask } from "./asking.ts"
import { copier } from "./copying.ts"
import { h, name, shellWord, shown } from "./dom.ts"
import { cell, none, note, row, section, table } from "./parts.ts"
import { number } from "./words.ts"

const healthRow = (health: CassetteHealth): HTMLElement => {
  const isAnswering = "stats" in health
  const state = h(
    "span",
    { class: isAnswering && health.status === "ok" ? "state done" : "state failed" },
    health.status
  )
  const reason = "reason" in health ? (health.reason ?? "") : ""
  return row(
    [
      cell("first", state),
      cell(
        "wide",
        name(health.cassette_id),
        reason !== "" && h("div", { class: "second" }, ...shown(reason))
      ),
      cell("side nowrap", isAnswering ? health.mutability : ""),
      cell("number", isAnswering ? number(health.stats.files) : ""),
      cell("number top", isAnswering ? number(health.stats.total_chunks) : "")
    ],
    ""
  )
}

const hitItem = (hit: Hit): HTMLElement =>
  h(
    "li",
    {},
    h(
      "div",
      { class: "line" },
      h("b", {}, name(hit.path)),
      h("span", { class: "dim" }, name(hit.source)),
      hit.memory !== undefined &&
        h("span", { class: "dim" }, "saved by ", name(hit.memory.agent_id ?? "no agent")),
      copier("copy hash", "the text's SHA-256", () => hit.hash)
    ),
    h("p", { class: "says" }, ...shown(hit.content.slice(0, 400)))
  )

const results = ({ answers, hits }: MergedAnswer): ReadonlyArray<HTMLElement> => {
  const silent = Object.entries(answers).filter(([, { status }]) => status !== "ok")
  return [
    ...silent.map(([id, { reason = "", status }]) =>
      note([`Cassette ${id} is ${status}: `, ...shown(reason)])
    ),
    hits.length === 0 ? none("Nothing was found.", false) : h("ol", { class: "hits" }, hits.map(hitItem))
  ]
}

const searchPart = (
  title: string,
  path: string,
  label: string,
  command: ReadonlyArray<string>
): HTMLElement => {
  const field = h("input", { type: "search", "aria-label": label, placeholder: label })
  const found = h("div", { "aria-live": "polite" })
  const form = h(
    "form",
    { class: "field" },
    field,
    h("button", { class: "button", type: "submit" }, "Search")
  )
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const text = field.value.trim()
    if (text === "") return
    found.replaceChildren(none("Searching …", false))
    void ask<MergedAnswer>(path, { text }).then(
      (answer) => found.replaceChildren(...results(answer)),
      (error: unknown) =>
        found.replaceChildren(note(error instanceof Error ? error.message : String(error), true))
    )
  })
  const copyCommand = copier("copy command", "the command that shows the same", () =>
    ["cortex", ...command, field.value].map(shellWord).join(" ")
  )
  return section(title, copyCommand, form, found)
}

/** The network's sections; they fill themselves when its cassettes have answered. */
export const networkParts = (config: string): ReadonlyArray<HTMLElement> => {
  const health = h("div", { "aria-live": "polite" }, none("Asking the cassettes …", false))
  void ask<{ readonly cassettes: ReadonlyArray<CassetteHealth> }>("/v1/network").then(
    ({ cassettes }) =>
      health.replaceChildren(
        cassettes.length === 0
          ? none("The configuration names no cassette.", false)
          : table(
              "Cassettes",
              ["State", "Cassette", "Mutability", ">Files", ">Chunks"],
              cassettes.map(healthRow)
            )
      ),
    (error: unknown) =>
      health.replaceChildren(note(error instanceof Error ? error.message : String(error), true))
  )
  return [
    section("Network", null, health),
    searchPart("Search", "/v1/network/query", "Search all cassettes", [
      "network",
      "query",
      "--config",
      config
    ]),
    searchPart("Memories", "/v1/memories", "Search what agents remember", [
      "memory",
      "query",
      "--config",
      config
    ])
  ]
}
