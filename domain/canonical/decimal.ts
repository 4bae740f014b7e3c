// Whether a number's spelling names exactly the double that it parses to, up to the double's shortest form.
// A reader that took 9007199254740993 for 9007199254740992 would hash another value than was written. Works on
// digits as text in linear time; it must never build a big number, since an exponent may have any size.

/** digits x 10^exponent, the digits without zeros at either end ("" for zero, then with exponent 0). */
interface Decimal {
  readonly digits: string
  readonly exponent: number
}

const zero = 0x30

const decimalOf = (unsigned: string): Decimal => {
  const mark = unsigned.search(/[eE]/)
  const mantissa = mark < 0 ? unsigned : unsigned.slice(0, mark)
  // Beyond 2^53 this is inexact, but then the double is 0 or infinite with any digits.
  const power = mark < 0 ? 0 : Number(unsigned.slice(mark + 1))
  const point = mantissa.indexOf(".")
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  const decimals = point < 0 ? 0 : mantissa.length - point - 1
  let start = 0
  while (start < all.length && all.charCodeAt(start) === zero) start++
  let end = all.length
  while (end > start && all.charCodeAt(end - 1) === zero) end--
  if (start === end) return { digits: "", exponent: 0 }
  return { digits: all.slice(start, end), exponent: power - decimals + (all.length - end) }
}

const withoutSign = (spelling: string): string => (spelling.startsWith("-") ? spelling.slice(1) : spelling)

/** True when the JSON number spelling equals, as an exact decimal, the shortest ECMAScript form of its double. */
export const isExactSpelling = (spelling: string): boolean => {
  const value = Number(spelling)
  if (!Number.isFinite(value)) return false
  const written = decimalOf(withoutSign(spelling))
  const shortest = decimalOf(withoutSign(`${value}`))
  return written.exponent === shortest.exponent && written.digits === shortest.digits
}
