// Which words of a sentence only hold it together, in the languages that are known and in sentences of several.
import { describe, expect, it } from "vitest"
import { functionWordPlaces } from "./function-words.ts"

const told = (sentence: string): string => {
  const words = sentence.replace(/\?$/, "").split(" ")
  const places = functionWordPlaces(words, sentence.endsWith("?"))
  return words.filter((_, place) => !places.has(place)).join(" ")
}

describe("what is left of a question", () => {
  it.each([
    ["how do I patch a dependency", "patch dependency"],
    ["Can you tell me what the lease is", "tell lease"],
    ["Wie kann ich eine Abhängigkeit patchen", "Abhängigkeit patchen"],
    ["Was ist ein Lease", "Lease"],
    ["Qu’est-ce que le verrou", "verrou"],
    ["Comment puis-je corriger une dépendance", "corriger dépendance"],
    ["¿Cómo puedo instalar el paquete".slice(1), "instalar paquete"],
    ["Como posso instalar o pacote", "instalar pacote"],
    ["Come posso installare il pacchetto", "installare pacchetto"],
    ["Hoe kan ik een pakket installeren", "pakket installeren"],
    ["Wo ist the list of the packages", "list packages"],
    ["Was ist der Lease", "Lease"],
    ["Was macht der Befehl", "macht Befehl"],
    ["what was der made of", "der made"],
    ["Où est le verrou", "verrou"],
    ["Wat is de status van het slot", "status slot"],
    ["Chi ha il lock", "lock"]
  ])("%s", (sentence, rest) => {
    expect(told(sentence)).toBe(rest)
  })
})

describe("a word of one language that is a name in another", () => {
  it.each([
    ["should I comment a line", "comment line"],
    ["how do I comment on an issue", "comment issue"],
    ["how does a worker die", "worker die"],
    ["where is the bin folder", "bin folder"],
    ["how do I leave vi", "leave vi"],
    ["how do I read a der file", "read der file"],
    ["where is the CI of our package", "CI package"],
    ["which man pages are there", "man pages"],
    ["Where would I find the settings of em and os", "find settings em os"],
    ["how do I add the locales de en es", "add locales de en es"]
  ])("is what is looked for in %j", (sentence, rest) => {
    expect(told(sentence)).toBe(rest)
  })
})

describe("a name or a keyword that is a word of another language", () => {
  const names =
    "nas dir du des io em eu os cet mes wat der dal ben ist dem als chi que ou wer aux mon ces das mir dat haar ik uno las mas na il la un une la ein".split(
      " "
    )
  it.each(names)("%s is what is looked for in an English question, short or long", (name) => {
    expect(told(`how do I mount a ${name}`)).toBe(`mount ${name}`)
    expect(told(`what is the reason that my ${name} cannot be seen from the other machines?`)).toBe(
      `reason ${name} seen other machines`
    )
    for (const phrase of [`mount ${name}`, name, `list old ${name}`, `use ${name} with disk`]) {
      expect(told(phrase)).toBe(phrase)
      expect(told(`${phrase}?`)).toBe(phrase)
    }
  })
  it("is looked for beside another that the same language has", () => {
    for (const two of ["nas os", "dir der", "du des", "mes aux", "io dal", "wat dat"]) {
      expect(told(`how do I mount a ${two}`)).toBe(`mount ${two}`)
      expect(told(`mount ${two} disk?`)).toBe(`mount ${two} disk`)
    }
  })
})

it.each([
  "where clause",
  "sql where clause",
  "can bus driver",
  "the who",
  "how to",
  "what is",
  "os dir",
  "was ist",
  "us may data"
])("leaves %j as it is, which is too little for a sentence", (text) => {
  expect(told(text)).toBe(text)
  expect(told(`${text}?`)).toBe(text)
})

it.each([
  ["how do I build without a cache", "build without cache"],
  ["Wie kann ich ohne einen Index suchen", "ohne Index suchen"],
  ["Warum hat die Datenbank keine Sperre", "Datenbank keine Sperre"],
  ["Comment puis-je chercher sans un index", "chercher sans index"],
  ["Cómo puedo buscar sin un índice", "buscar sin índice"],
  ["Como posso buscar sem um índice", "buscar sem índice"],
  ["Hoe kan ik zonder een index of geen slot zoeken", "zonder index geen slot zoeken"],
  ["what can I do before, after, between and through it", "before, after, between through"]
])("keeps a word that changes what is looked for: %s", (sentence, rest) => {
  expect(told(sentence)).toBe(rest)
})

it("finds nothing but such words in a sentence of them, and none in no sentence", () => {
  expect(told("to be or not to be?")).toBe("")
  expect([...functionWordPlaces([], true)]).toEqual([])
})

it.each(["convert a string to an integer", "la liste des paquets", "the end of the line"])(
  "leaves a title or a phrase as it is: %s",
  (phrase) => {
    expect(told(phrase)).toBe(phrase)
    expect(told(`${phrase}?`).length).toBeLessThanOrEqual(phrase.length)
  }
)

it.each([
  "show who is logged on",
  "me macro package for formatting documents",
  "avoid freeing storage while it is being used",
  "find the file that you name"
])("leaves a description with one word that asks as it is: %s", (phrase) => {
  expect(told(phrase)).toBe(phrase)
})

it.each([
  ["tell me how I can patch a dependency", "tell patch dependency"],
  ["in pnpm, how do I patch a dependency", "pnpm, patch dependency"],
  ["a dependency that I patched, where is it and how can it go", "dependency patched, go"],
  ["Sag mir bitte, wie ich eine Abhängigkeit ersetze", "Sag bitte, Abhängigkeit ersetze"]
])("takes several words that ask for a question: %s", (sentence, rest) => {
  expect(told(sentence)).toBe(rest)
})

it("takes a question mark for a question", () => {
  expect(told("is the end of a line kept?")).toBe("end line kept")
})
