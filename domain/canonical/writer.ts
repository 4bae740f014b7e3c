// The walk that both canonical rules share: it checks the value and joins its text, with keys in the rule's order. The
// walk must never run code of the value: members are read from their descriptors, so no getter and no toJSON is
// called.

import { isPlainObject, MAX_JSON_DEPTH } from "./json.ts"
import { type CanonicalRule, NotCanonical, type NotCanonicalReason } from "./not-canonical.ts"

/** What one rule decides by itself. */
export interface WritingRule {
  readonly name: CanonicalRule
  readonly integersOnly: boolean
  /** Puts the keys in the rule's order, in place. */
  readonly sort: (keys: Array<string>) => void
}

/** A container on the way down: enough to name a place, to measure depth and to recognise a cycle. */
interface ValuePlace {
  readonly parent: ValuePlace | undefined
  readonly key: string | number
  readonly value: object
  readonly depth: number
}

interface Walk {
  readonly rule: WritingRule
  readonly maxDepth: number
}

/** The value as JSON text with keys in the rule's order and raw UTF-16 inside quotes; throws `NotCanonical`. */
export const orderedText = (rule: WritingRule, value: unknown, maxDepth = MAX_JSON_DEPTH): string =>
  valueText({ rule, maxDepth }, value, undefined, "")

/** Hands back a thrown refusal as a value; anything else that was thrown is a defect and is thrown again. */
export const refusalOrDefect = (thrown: unknown): NotCanonical => {
  if (thrown instanceof NotCanonical) return thrown
  throw thrown
}

/** Anything but what stands between quotes as it is: controls, the quote, the backslash, and surrogates. */
const special = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** The string in quotes; undefined when it is not well-formed. Looking for what is special is quicker than JSON.stringify. */
const quoted = (text: string): string | undefined => {
  if (!special.test(text)) return `"${text}"`
  return text.isWellFormed() ? JSON.stringify(text) : undefined
}

const valueText = (
  walk: Walk,
  value: unknown,
  parent: ValuePlace | undefined,
  key: string | number
): string => {
  switch (typeof value) {
    case "string": {
      const text = quoted(value)
      if (text === undefined) throw refusal(walk, "lone_surrogate", parent, key)
      return text
    }
    case "number": {
      const reason = numberFault(walk.rule, value)
      if (reason !== undefined) throw refusal(walk, reason, parent, key)
      // The shortest form of ECMAScript, as JSON.stringify writes it; minus zero is 0.
      return `${value}`
    }
    case "boolean":
      return value ? "true" : "false"
    case "object": {
      if (value === null) return "null"
      const place: ValuePlace = { parent, key, value, depth: parent === undefined ? 1 : parent.depth + 1 }
      if (place.depth > walk.maxDepth) throw tooDeep(walk, place)
      return Array.isArray(value) ? listText(walk, value, place) : objectText(walk, value, place)
    }
    case "undefined":
      throw refusal(walk, "undefined", parent, key)
    default:
      throw refusal(walk, "unsupported_type", parent, key)
  }
}

const listText = (walk: Walk, list: ReadonlyArray<unknown>, place: ValuePlace): string => {
  if (Object.getPrototypeOf(list) !== Array.prototype)
    throw refusal(walk, "not_plain", place.parent, place.key)
  let text = "["
  for (let index = 0; index < list.length; index++) {
    const member = Object.getOwnPropertyDescriptor(list, index)
    if (member?.get !== undefined) throw refusal(walk, "accessor", place, index)
    if (index > 0) text += ","
    text += valueText(walk, member?.value, place, index)
  }
  if (Object.keys(list).length !== list.length) throw refusal(walk, "hidden_member", place.parent, place.key)
  refuseSymbols(walk, list, place)
  return `${text}]`
}

const objectText = (walk: Walk, object: object, place: ValuePlace): string => {
  if (!isPlainObject(object)) throw refusal(walk, "not_plain", place.parent, place.key)
  refuseSymbols(walk, object, place)
  const keys = Object.getOwnPropertyNames(object)
  walk.rule.sort(keys)
  let text = "{"
  for (let index = 0; index < keys.length; index++) {
    if (index > 0) text += ","
    text += memberText(walk, object, keys[index]!, place)
  }
  return `${text}}`
}

const memberText = (walk: Walk, object: object, key: string, place: ValuePlace): string => {
  const member = Object.getOwnPropertyDescriptor(object, key)
  const name = quoted(key)
  if (name === undefined) throw refusal(walk, "lone_surrogate", place, key)
  if (member?.get !== undefined) throw refusal(walk, "accessor", place, key)
  if (member?.enumerable === false) throw refusal(walk, "hidden_member", place, key)
  return `${name}:${valueText(walk, member?.value, place, key)}`
}

const numberFault = (rule: WritingRule, value: number): NotCanonicalReason | undefined => {
  if (!Number.isFinite(value)) return "not_finite"
  if (!rule.integersOnly || Number.isSafeInteger(value)) return undefined
  return Number.isInteger(value) ? "unsafe_integer" : "not_an_integer"
}

const refuseSymbols = (walk: Walk, value: object, place: ValuePlace): void => {
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw refusal(walk, "symbol_key", place.parent, place.key)
  }
}

const tooDeep = (walk: Walk, deepest: ValuePlace): NotCanonical => {
  const chain: Array<ValuePlace> = []
  for (let place: ValuePlace | undefined = deepest; place !== undefined; place = place.parent)
    chain.unshift(place)
  const seen = new Set<object>()
  for (const place of chain) {
    if (seen.has(place.value)) return refusal(walk, "cycle", place.parent, place.key)
    seen.add(place.value)
  }
  return refusal(walk, "too_deep", deepest.parent, deepest.key)
}

const refusal = (
  walk: Walk,
  reason: NotCanonicalReason,
  parent: ValuePlace | undefined,
  key: string | number
): NotCanonical => {
  let path = ""
  let last = key
  for (let place = parent; place !== undefined; place = place.parent) {
    const step = `${last}`.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")
    path = `/${step}${path}`
    last = place.key
  }
  return new NotCanonical({ rule: walk.rule.name, reason, path })
}
