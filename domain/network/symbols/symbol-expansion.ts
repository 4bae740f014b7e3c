// Puts the texts of symbols in their places, level by level, from what was looked up before. A text that leads back to
// itself is named as a circle, one text in several places is none, and nothing grows beyond the limit: the size is
// counted while a text is put together, not after it.
import * as Result from "effect/Result"
import { utf8ByteLength } from "../../canonical/text.ts"
import { MAX_EXPANDED_BYTES } from "../limits.ts"
import { ExpandedTextTooLarge, NetworkSymbolCycle } from "./symbol-errors.ts"
import { piecesOf, type SymbolKind, symbolsIn } from "./symbols.ts"

/** The text that a symbol names. */
export interface SymbolTarget {
  readonly kind: SymbolKind
  readonly hash: string
  readonly content: string
}

/** Texts by the symbols that name them, as they are spelt. */
export type SymbolTargets = ReadonlyMap<string, SymbolTarget>

const keyOf = ({ hash, kind }: SymbolTarget): string => `${kind} ${hash}`

interface Step {
  readonly symbol: string
  readonly key: string
  readonly next: Iterator<string>
}

/**
 * The first circle among texts that are expanded, as the trail from one of the starts to the symbol that comes again.
 * `opened` says which symbols' texts are expanded; the others are left as they stand.
 */
export const circleFrom = (
  starts: ReadonlyArray<string>,
  targets: SymbolTargets,
  opened: ReadonlySet<string>
): NetworkSymbolCycle | undefined => {
  // One text may be spelt in several ways.
  const openedKeys = new Set(
    [...targets].flatMap(([symbol, target]) => (opened.has(symbol) ? [keyOf(target)] : []))
  )
  const done = new Set<string>()
  const onWay = new Set<string>()
  const trail: Array<Step> = [{ symbol: "", key: "", next: starts.values() }]
  for (let step = trail.at(-1); step !== undefined; step = trail.at(-1)) {
    const { done: isDone, value: symbol } = step.next.next()
    if (isDone === true) {
      onWay.delete(step.key)
      done.add(step.key)
      trail.pop()
      continue
    }
    const target = targets.get(symbol)
    if (target === undefined) continue
    const key = keyOf(target)
    if (done.has(key)) continue
    if (onWay.has(key)) {
      return new NetworkSymbolCycle({ trail: [...trail.slice(1).map((each) => each.symbol), symbol] })
    }
    onWay.add(key)
    trail.push({ symbol, key, next: (openedKeys.has(key) ? symbolsIn(target.content) : []).values() })
  }
  return undefined
}

class Expansion {
  private readonly targets: SymbolTargets
  private readonly limit: number
  private readonly known = new Map<string, string | undefined>()

  constructor(targets: SymbolTargets, limit: number) {
    this.targets = targets
    this.limit = limit
  }

  /** Undefined when it would be too large. */
  expand(text: string, levels: number): string | undefined {
    if (levels === 0) return text
    const parts: Array<string> = []
    let bytes = 0
    for (const piece of piecesOf(text)) {
      const part = "text" in piece ? piece.text : this.textOf(piece.symbol, levels)
      bytes += part === undefined ? 0 : utf8ByteLength(part)
      if (part === undefined || bytes > this.limit) return undefined
      parts.push(part)
    }
    return parts.join("")
  }

  private textOf(symbol: string, levels: number): string | undefined {
    const target = this.targets.get(symbol)
    if (target === undefined) return symbol
    const key = `${levels} ${keyOf(target)}`
    if (!this.known.has(key)) this.known.set(key, this.expand(target.content, levels - 1))
    return this.known.get(key)
  }
}

/**
 * A text whose symbols are replaced by their texts through so many levels; 0 leaves it as it is. Symbols without a target
 * stay, and so do those of the last level's texts. The targets must be free of circles.
 */
export const expandText = (
  text: string,
  levels: number,
  targets: SymbolTargets,
  limit = MAX_EXPANDED_BYTES
): Result.Result<string, ExpandedTextTooLarge> => {
  const expanded = new Expansion(targets, limit).expand(text, levels)
  return expanded === undefined
    ? Result.fail(new ExpandedTextTooLarge({ limit, unit: "bytes" }))
    : Result.succeed(expanded)
}
