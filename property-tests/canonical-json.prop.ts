// Properties of canonical JSON on random values: agreement with other implementations, reading back what was
// written, and number spellings against exact arithmetic.

import canonicalize from "canonicalize"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { execFileSync } from "node:child_process"
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import { isExactSpelling } from "../domain/canonical/decimal.ts"
import { jcsText } from "../domain/canonical/jcs.ts"
import type { JsonValue } from "../domain/canonical/json.ts"
import { pyText } from "../domain/canonical/py.ts"
import { readJson, readJsonBytes } from "../domain/canonical/strict-reader.ts"
import {
  jsonArbitrary,
  numberArbitrary,
  safeIntegerArbitrary,
  withKeysReversed,
  withoutNegativeZero
} from "../domain/canonical/testing/json-arbitrary.ts"
import { propParameters } from "./support/configuration.ts"

const anyJson = jsonArbitrary(numberArbitrary)
const integerJson = jsonArbitrary(safeIntegerArbitrary)

const rules = [
  ["jcs/1", anyJson, jcsText],
  ["py/1", integerJson, pyText]
] as const

const assertThat = (holds: boolean, shown: string): void => {
  if (!holds) throw new Error(shown)
}

describe("jcs/1", () => {
  it("equals what the canonicalize package writes", () => {
    fc.assert(
      fc.property(anyJson, (value) => void expect(jcsText(value)).toBe(canonicalize(value))),
      propParameters(5)
    )
  })
})

describe.each(rules)("%s", (rule, values, write) => {
  it("reads back what it wrote, from text and from bytes", () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = write(value)
        const read = Result.getOrThrow(readJson(text, rule))
        assertThat(isDeepStrictEqual(read, withoutNegativeZero(value)), `${text} was read as another value`)
        const fromBytes = Result.getOrThrow(readJsonBytes(new TextEncoder().encode(text), rule))
        assertThat(isDeepStrictEqual(fromBytes, read), `${text} was read otherwise from bytes`)
      }),
      propParameters(5)
    )
  })

  it("writes what it read as it was written", () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = write(value)
        expect(write(Result.getOrThrow(readJson(text, rule)))).toBe(text)
      }),
      propParameters(5)
    )
  })

  it("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(values, (value) => void expect(write(withKeysReversed(value))).toBe(write(value))),
      propParameters(5)
    )
  })

  it("reads a text with space around its tokens as the same value", () => {
    fc.assert(
      fc.property(values, (value) => {
        const spaced = JSON.stringify(value, undefined, "\t ")
        expect(write(Result.getOrThrow(readJson(spaced, rule)))).toBe(write(value))
      }),
      propParameters(2)
    )
  })
})

// Every value goes through one Python process, one JSON text a line; the texts come back the same way.
const pythonProgram = `
import json, sys
for line in sys.stdin.buffer:
    value = json.loads(line.decode("utf-8"))
    sys.stdout.write(json.dumps(value, sort_keys=True, separators=(",", ":")) + "\\n")
`

const python = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("python3", ["-c", pythonProgram], {
    input: lines.map((line) => `${line}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 30
  })
    .split("\n")
    .slice(0, -1)

const pythonIsMissing = (): boolean => {
  try {
    return python(["[]"])[0] !== "[]"
  } catch (error) {
    console.warn(
      `SKIPPED: py/1 is not compared with Python, since python3 does not run here (${String(error)})`
    )
    return true
  }
}

describe("py/1 against Python", () => {
  it.skipIf(pythonIsMissing())("equals what json.dumps prints", () => {
    const values: ReadonlyArray<JsonValue> = fc.sample(integerJson, propParameters(5))
    const printed = python(values.map((value) => JSON.stringify(value)))
    expect(printed.length).toBe(values.length)
    for (const [index, value] of values.entries()) expect(pyText(value)).toBe(printed[index])
  })
})

/** A spelling as an exact fraction: numerator over a power of ten, in big integers. */
const fractionOf = (spelling: string): { readonly numerator: bigint; readonly denominator: bigint } => {
  const [mantissa = "", power = "0"] = spelling.toLowerCase().split("e")
  const [whole = "", decimals = ""] = mantissa.split(".")
  const exponent = Number(power) - decimals.length
  const digits = BigInt(whole.replace("-", "") + decimals) * (spelling.startsWith("-") ? -1n : 1n)
  return exponent >= 0
    ? { numerator: digits * 10n ** BigInt(exponent), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-exponent) }
}

const isExactInTheModel = (spelling: string): boolean => {
  const double = Number(spelling)
  if (!Number.isFinite(double)) return false
  const [left, right] = [fractionOf(spelling), fractionOf(`${double}`)]
  return left.numerator * right.denominator === right.numerator * left.denominator
}

const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength })

const exponentText = fc.tuple(fc.constantFrom("e", "E", "e+", "E+", "e-", "E-"), fc.nat({ max: 340 }))

/** Any JSON number spelling with moderate digits and exponent. */
const anySpelling = fc
  .tuple(fc.constantFrom("", "-"), digits(1, 22), fc.option(digits(1, 22)), fc.option(exponentText))
  .map(([sign, whole, decimals, exponent]) =>
    [
      sign,
      whole.replace(/^0+(?=.)/, ""),
      decimals === null ? "" : `.${decimals}`,
      exponent === null ? "" : `${exponent[0]}${exponent[1]}`
    ].join("")
  )

/** A double's shortest form with its point moved and zeros added: always exact. */
const respelledDouble = fc
  .tuple(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -25, max: 25 }),
    fc.nat({ max: 5 })
  )
  .map(([double, shift, zeros]) => {
    const [mantissa = "", power = "0"] = double.toExponential().split("e")
    const sign = mantissa.startsWith("-") ? "-" : ""
    const all = mantissa.replace("-", "").replace(".", "") + "0".repeat(zeros)
    const decimals = mantissa.includes(".") ? mantissa.length - mantissa.indexOf(".") - 1 + zeros : zeros
    const padded = all.padStart(Math.abs(shift) + 1, "0")
    const point = padded.length - Math.abs(shift)
    const whole = padded.slice(0, point).replace(/^0+(?=.)/, "")
    const fraction = padded.slice(point)
    const exponent = Number(power) - decimals + Math.abs(shift)
    return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}e${exponent}`
  })

/** A respelled double with one digit changed or added at its end: mostly inexact, sometimes another double. */
const spoiledDouble = fc
  .tuple(respelledDouble, fc.constantFrom(..."0123456789"), fc.boolean())
  .map(([spelling, digit, replace]) => {
    const [mantissa = "", power = "0"] = spelling.split("e")
    const spoiled = `${replace && mantissa.length > 2 ? mantissa.slice(0, -1) : mantissa}${digit}`
    return `${spoiled.replace(/^(-?)0+(?=[0-9])/, "$1")}e${power}`
  })

describe("the exactness of number spellings", () => {
  it.each([
    ["any spelling", anySpelling],
    ["a double's own digits", respelledDouble],
    ["a double's digits spoiled", spoiledDouble]
  ] as const)("agrees with exact arithmetic: %s", (_name, spellings) => {
    fc.assert(
      fc.property(spellings, (spelling) => {
        const exact = isExactInTheModel(spelling)
        expect(isExactSpelling(spelling), spelling).toBe(exact)
        const read = readJson(spelling, "jcs/1")
        expect(Result.isSuccess(read), spelling).toBe(exact)
        if (Result.isSuccess(read)) expect(read.success).toBe(Number(spelling) + 0)
      }),
      propParameters(10)
    )
  })

  it("takes every way to write a double's shortest form", () => {
    fc.assert(
      fc.property(respelledDouble, (spelling) => void expect(isExactSpelling(spelling), spelling).toBe(true)),
      propParameters(10)
    )
  })
})
