// The walk that both canonical rules share. It makes a checked copy of the value with its keys in the rule's
// order and lets JSON.stringify print that copy, which is faster than joining text here. The walk must never
// run code of the value: members are read from their descriptors, so no getter and no toJSON is called.

import { isPlainObject, MAX_JSON_DEPTH } from "./json.ts"
import { type CanonicalRule, NotCanonical, type NotCanonicalReason } from "./not-canonical.ts"

/** What one rule decides by itself. */
export interface WritingRule {
  readonly name: CanonicalRule
  readonly integersOnly: boolean
  /** Puts the keys in the rule's order, in place. */
  readonly sort: (keys: Array<string>) => void
}

type Scalar = null | boolean | number | string
type Copy = Scalar | Array<Copy> | { [key: string]: Copy } | Map<string, Copy>

/** A container on the way down: enough to name a place, to measure depth and to recognise a cycle. */
interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
  readonly value: object
  readonly depth: number
}

interface Walk {
  readonly rule: WritingRule
  readonly maxDepth: number
  /** Set when the copy holds a Map, which JSON.stringify cannot print. */
  hasMap: boolean
}

/** The value as JSON text with keys in the rule's order and raw UTF-16 inside quotes; throws `NotCanonical`. */
export const orderedText = (rule: WritingRule, value: unknown, maxDepth = MAX_JSON_DEPTH): string => {
  const walk: Walk = { rule, maxDepth, hasMap: false }
  const copy = copyValue(walk, value, undefined, "")
  return walk.hasMap ? joinedText(copy) : JSON.stringify(copy)
}

/** Hands back a thrown refusal as a value; anything else that was thrown is a defect and is thrown again. */
export const refusalOrDefect = (thrown: unknown): NotCanonical => {
  if (thrown instanceof NotCanonical) return thrown
  throw thrown
}

const copyValue = (walk: Walk, value: unknown, parent: Place | undefined, key: string | number): Copy => {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throw refusal(walk, "lone_surrogate", parent, key)
      return value
    case "number": {
      const reason = numberFault(walk.rule, value)
      if (reason !== undefined) throw refusal(walk, reason, parent, key)
      return value
    }
    case "boolean":
      return value
    case "object": {
      if (value === null) return null
      const place: Place = { parent, key, value, depth: parent === undefined ? 1 : parent.depth + 1 }
      if (place.depth > walk.maxDepth) throw tooDeep(walk, place)
      return Array.isArray(value) ? copyList(walk, value, place) : copyObject(walk, value, place)
    }
    case "undefined":
      throw refusal(walk, "undefined", parent, key)
    default:
      throw refusal(walk, "unsupported_type", parent, key)
  }
}

const copyList = (walk: Walk, list: ReadonlyArray<unknown>, place: Place): Copy => {
  if (Object.getPrototypeOf(list) !== Array.prototype)
    throw refusal(walk, "not_plain", place.parent, place.key)
  const copy: Array<Copy> = []
  for (let index = 0; index < list.length; index++) {
    const member = Object.getOwnPropertyDescriptor(list, index)
    if (member?.get !== undefined) throw refusal(walk, "accessor", place, index)
    copy.push(copyValue(walk, member?.value, place, index))
  }
  if (Object.keys(list).length !== list.length) throw refusal(walk, "hidden_member", place.parent, place.key)
  refuseSymbols(walk, list, place)
  return copy
}

const copyObject = (walk: Walk, object: object, place: Place): Copy => {
  if (!isPlainObject(object)) throw refusal(walk, "not_plain", place.parent, place.key)
  refuseSymbols(walk, object, place)
  const keys = Object.getOwnPropertyNames(object)
  walk.rule.sort(keys)
  if (keys.some(isAwkwardKey)) return copyToMap(walk, object, keys, place)
  const copy: { [key: string]: Copy } = {}
  for (const key of keys) copy[key] = copyMember(walk, object, key, place)
  return copy
}

/** True for the keys that a plain copy would move or swallow: integer-like ones come first, __proto__ vanishes. */
export const isAwkwardKey = (key: string): boolean => {
  const first = key.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || key === "__proto__"
}

const copyToMap = (walk: Walk, object: object, keys: ReadonlyArray<string>, place: Place): Copy => {
  walk.hasMap = true
  const copy = new Map<string, Copy>()
  for (const key of keys) copy.set(key, copyMember(walk, object, key, place))
  return copy
}

const copyMember = (walk: Walk, object: object, key: string, place: Place): Copy => {
  const member = Object.getOwnPropertyDescriptor(object, key)
  if (!key.isWellFormed()) throw refusal(walk, "lone_surrogate", place, key)
  if (member?.get !== undefined) throw refusal(walk, "accessor", place, key)
  if (member?.enumerable === false) throw refusal(walk, "hidden_member", place, key)
  return copyValue(walk, member?.value, place, key)
}

/** Prints a copy that holds Maps; needed for awkward keys alone. */
const joinedText = (copy: Copy): string => {
  if (copy === null || typeof copy !== "object") return JSON.stringify(copy)
  if (Array.isArray(copy)) return `[${copy.map(joinedText).join(",")}]`
  const entries = copy instanceof Map ? [...copy] : Object.entries(copy)
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${joinedText(member)}`).join(",")}}`
}

const numberFault = (rule: WritingRule, value: number): NotCanonicalReason | undefined => {
  if (!Number.isFinite(value)) return "not_finite"
  if (!rule.integersOnly || Number.isSafeInteger(value)) return undefined
  return Number.isInteger(value) ? "unsafe_integer" : "not_an_integer"
}

const refuseSymbols = (walk: Walk, value: object, place: Place): void => {
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw refusal(walk, "symbol_key", place.parent, place.key)
  }
}

const tooDeep = (walk: Walk, deepest: Place): NotCanonical => {
  const chain: Array<Place> = []
  for (let place: Place | undefined = deepest; place !== undefined; place = place.parent) chain.unshift(place)
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
  parent: Place | undefined,
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
