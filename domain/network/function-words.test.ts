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
    ["Wo ist the list of the packages", "list packages"]
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
    ["the CI of our package", "CI package"],
    ["which man pages are there", "man pages"]
  ])("is what is looked for in %j", (sentence, rest) => {
    expect(told(sentence)).toBe(rest)
  })
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

it("takes a question mark for a question", () => {
  expect(told("is the end of a line kept?")).toBe("end line kept")
})
