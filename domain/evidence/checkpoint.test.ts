// Checkpoints and signed notes as text: the one form that is written, and every deviation from it refused.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { base64Text, bytesOfBase64, hexText } from "../canonical/bytes.ts"
import { formatCheckpointBody, ledgerOfOrigin, originOf, parseCheckpoint } from "./checkpoint.ts"
import { formatSignedNote, isKeyName, keyHash, parseSignedNote, signaturesBy } from "./signed-note.ts"
import { sha256 } from "./testing/naive-merkle.ts"

const ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
const SIGNATURE =
  "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8="

/** The example of c2sp.org/tlog-checkpoint. */
const PUBLISHED = `example.com/behind-the-sofa
20852163
${ROOT}

— example.com/behind-the-sofa ${SIGNATURE}
`

const reasonOf = (text: string): string => {
  const parsed = parseCheckpoint(text)
  return Result.isFailure(parsed) ? parsed.failure.reason : "it was taken"
}

describe("a checkpoint", () => {
  it("is read from its published example", () => {
    const checkpoint = Result.getOrThrow(parseCheckpoint(PUBLISHED))
    expect(checkpoint.origin).toBe("example.com/behind-the-sofa")
    expect(checkpoint.size).toBe(20_852_163)
    expect(base64Text(checkpoint.root)).toBe(ROOT)
    expect(checkpoint.note.text).toBe(PUBLISHED.slice(0, PUBLISHED.indexOf("\n\n") + 1))
    expect(checkpoint.note.signatures.map(({ name }) => name)).toEqual(["example.com/behind-the-sofa"])
    expect(hexText(checkpoint.note.signatures[0]!.keyHash)).toBe("033de0ae")
    expect(checkpoint.note.signatures[0]!.signature.length).toBe(64)
  })

  it("is written as it was read", () => {
    const { note, ...body } = Result.getOrThrow(parseCheckpoint(PUBLISHED))
    expect(formatSignedNote({ ...note, text: formatCheckpointBody(body) })).toBe(PUBLISHED)
  })

  it("takes signatures of other kinds and lengths beside the one that counts", () => {
    const more = `${PUBLISHED}— witness.example/w1 ${base64Text(new Uint8Array(4 + 72))}\n— other AAAAAAA=\n`
    expect(Result.getOrThrow(parseCheckpoint(more)).note.signatures.length).toBe(3)
  })

  const change = (from: string, to: string): string => {
    expect(PUBLISHED.split(from).length, from).toBe(2)
    return PUBLISHED.replace(from, () => to)
  }

  it.each([
    ["an empty text", "", "does not end"],
    ["a carriage return", PUBLISHED.replaceAll("\n", "\r\n"), "control character"],
    ["a tab", change("20852163", "20852163\t"), "control character"],
    ["U+0000", change("20852163", "20852163\u0000"), "control character"],
    ["a lone surrogate", change("behind-the-sofa\n2", "\ud800\n2"), "valid Unicode"],
    ["a byte order mark before the size", change("20852163", "\ufeff20852163"), "second line"],
    ["no final line feed", PUBLISHED.slice(0, -1), "does not end"],
    ["a blank line at the end", `${PUBLISHED}\n`, "no signature"],
    ["text after the signatures", `${PUBLISHED}more\n`, "no signature"],
    ["text after a second blank line", `${PUBLISHED}\nmore\n`, "no signature"],
    ["no blank line", change("\n\n", "\n"), "no blank line"],
    ["two blank lines", change("\n\n", "\n\n\n"), "three lines"],
    ["no signature", PUBLISHED.slice(0, PUBLISHED.indexOf("\n\n") + 2), "no signature"],
    ["no signature and no blank line", PUBLISHED.slice(0, PUBLISHED.indexOf("\n\n") + 1), "no blank line"],
    ["a hyphen for the dash", change("—", "-"), "no signature"],
    ["an en dash", change("—", "–"), "no signature"],
    ["two spaces after the dash", change("— ", "—  "), "no signature"],
    ["two spaces after the name", change("sofa Az3", "sofa  Az3"), "no signature"],
    ["a space at a line's end", change("YQ8=\n", "YQ8= \n"), "no signature"],
    ["a no-break space in the name", change("sofa Az3", "sofa\u00a0x Az3"), "no signature"],
    ["a plus sign in the name", change("sofa Az3", "so+fa Az3"), "no signature"],
    ["no name", change("— example.com/behind-the-sofa", "— "), "no signature"],
    ["a signature without padding", change("YQ8=", "YQ8"), "no signature"],
    ["a signature with hidden bits", change("YQ8=", "YQ9="), "no signature"],
    ["a signature in the alphabet of URLs", change("/Zhcyv2q", "_Zhcyv2q"), "no signature"],
    ["a key hash and no signature", `a\n1\n${ROOT}\n\n— a AAAAAA==\n`, "no signature"],
    ["a leading zero", change("20852163", "020852163"), "second line"],
    ["a plus sign", change("20852163", "+20852163"), "second line"],
    ["a minus sign", change("20852163", "-1"), "second line"],
    ["an exponent", change("20852163", "1e3"), "second line"],
    ["hexadecimal", change("20852163", "0x10"), "second line"],
    ["a fraction", change("20852163", "1.0"), "second line"],
    ["a space before the size", change("20852163", " 20852163"), "second line"],
    ["digits of another script", change("20852163", "٢٠"), "second line"],
    ["a size beyond 2^53", change("20852163", "9007199254740993"), "second line"],
    ["no size", change("20852163", ""), "second line"],
    ["an empty origin", change("example.com/behind-the-sofa\n2", "\n2"), "first line"],
    ["a root of 31 bytes", change(ROOT, base64Text(new Uint8Array(31))), "third line"],
    ["a root of 33 bytes", change(ROOT, base64Text(new Uint8Array(33))), "third line"],
    ["a root in hexadecimal", change(ROOT, hexText(bytesOfBase64(ROOT)!)), "third line"],
    ["a root with hidden bits", change("jxq2I=", "jxq2J="), "third line"],
    ["an extension line", change(ROOT, `${ROOT}\nextension`), "three lines"],
    ["two lines", change(`\n${ROOT}`, ""), "third line"],
    ["over 64 signatures", PUBLISHED + `— a ${SIGNATURE}\n`.repeat(64), "over 64 signatures"],
    ["over 512 KiB", PUBLISHED + `— a ${SIGNATURE}\n`.repeat(6_000), "over 524288"]
  ])("is refused with %s", (_name, text, reason) => {
    expect(reasonOf(text)).toContain(reason)
  })

  it("may be of an empty log", () => {
    const empty = Result.getOrThrow(parseCheckpoint(change("20852163", "0")))
    expect(empty.size).toBe(0)
  })
})

describe("an origin", () => {
  it("names its ledger, or is another log's", () => {
    expect(originOf("l 1")).toBe("cassette/l 1")
    expect(ledgerOfOrigin("cassette/l 1")).toBe("l 1")
    expect(ledgerOfOrigin("cassette/")).toBeUndefined()
    expect(ledgerOfOrigin("Cassette/l")).toBeUndefined()
    expect(ledgerOfOrigin("example.com/cassette/l")).toBeUndefined()
    expect(ledgerOfOrigin(`cassette/${"x".repeat(257)}`)).toBeUndefined()
  })
})

describe("a key's name", () => {
  it.each(["ops", "cassette/0b7c", "schlüssel", "a", "x".repeat(256)])("can be %j", (name) => {
    expect(isKeyName(name)).toBe(true)
  })

  it.each([
    "",
    "a b",
    "a\u2003b",
    "a\u0085b",
    "a\u2028b",
    "a+b",
    "a\nb",
    "a\u0001b",
    "\ud800",
    "x".repeat(257)
  ])("cannot be %j", (name) => {
    expect(isKeyName(name)).toBe(false)
  })

  it("is part of the key's hash", () => {
    // The key and hash of the examples of Go's package golang.org/x/mod/sumdb/note.
    const publicKey = bytesOfBase64("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")!.slice(1)
    expect(hexText(keyHash(sha256, { name: "PeterNeumann", publicKey }))).toBe("c74f20a3")
    expect(hexText(keyHash(sha256, { name: "PeterNeumanm", publicKey }))).not.toBe("c74f20a3")
  })
})

describe("signatures by a key", () => {
  const key = { name: "a", publicKey: new Uint8Array(32) }
  const hash = keyHash(sha256, key)
  const line = (name: string, keyHash: Uint8Array) => ({ name, keyHash, signature: new Uint8Array(64) })

  it("need both its name and its hash", () => {
    const note = {
      text: "x\n",
      signatures: [line("b", hash), line("a", Uint8Array.of(0, 0, 0, 0)), line("a", hash)]
    }
    expect(signaturesBy(sha256, note, key)).toEqual([note.signatures[2]])
  })

  it("survive formatting and reading", () => {
    const note = { text: "x\n\ny\n", signatures: [line("a", hash), line("ü", hash)] }
    expect(Result.getOrThrow(parseSignedNote(formatSignedNote(note)))).toEqual(note)
  })
})
