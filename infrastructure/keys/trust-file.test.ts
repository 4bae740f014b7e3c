// Trust files: what is taken, every way in which one is refused, and whom it makes believable.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { utf8Bytes } from "../../domain/canonical/bytes.ts"
import { formatCheckpointBody, parseCheckpoint } from "../../domain/evidence/checkpoint.ts"
import { formatSignedNote, keyHash, type NoteSignature } from "../../domain/evidence/signed-note.ts"
import { publicKeyBytes, type TrustFile, type TrustKey, trustedSigners } from "../../domain/evidence/trust.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { sha256Bytes, verifySignature } from "./ed25519.ts"
import { loadTrustFile, parseTrustFile } from "./trust-file.ts"

const pemOf = (key: KeyObject): string => String(key.export({ format: "pem", type: "spki" }))
const first = generateKeyPairSync("ed25519")
const second = generateKeyPairSync("ed25519")

const entry = (change: Partial<TrustKey> = {}): TrustKey => ({
  name: "ops",
  public_key: pemOf(first.publicKey),
  scope: { ledgers: ["l1"] },
  enabled: true,
  ...change
})

const parse = (value: unknown) => parseTrustFile("t.json", utf8Bytes(JSON.stringify(value)))

describe("a trust file", () => {
  it.effect("is read from disk", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "trust.json")
      const trust = {
        keys: [entry(), entry({ name: "old", enabled: false, scope: { run_prefixes: ["r"] } })]
      }
      writeFileSync(file, JSON.stringify(trust, undefined, 2))
      assert.deepStrictEqual(yield* loadTrustFile(file), trust)
    })
  )

  it("takes a public key as PEM, without its last line feed, or as the line inside", () => {
    const pem = pemOf(first.publicKey)
    const line = pem.split("\n")[1]!
    for (const public_key of [pem, pem.trimEnd(), line]) {
      assert.isTrue(Result.isSuccess(parse({ keys: [entry({ public_key })] })))
      assert.deepStrictEqual(publicKeyBytes(public_key), publicKeyBytes(pem))
    }
  })

  const spkiOf = (start: Iterable<number>): string => {
    const key = Buffer.alloc(32)
    key.set([...start])
    return Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key]).toString("base64")
  }
  const pemAround = (base64: string) => `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`
  const x25519 = pemOf(generateKeyPairSync("x25519").publicKey)

  it.each([
    ["no keys", {}],
    ["a list", [entry()]],
    ["an unknown key at the top", { keys: [entry()], version: 1 }],
    ["an unknown key in an entry", { keys: [{ ...entry(), note: "x" }] }],
    ["an unknown key in a scope", { keys: [entry({ scope: { ledgers: ["l1"], all: true } as never })] }],
    ["no name", { keys: [{ ...entry(), name: undefined }] }],
    ["no scope", { keys: [{ ...entry(), scope: undefined }] }],
    ["no word on whether it is enabled", { keys: [{ ...entry(), enabled: undefined }] }],
    ["enabled as text", { keys: [{ ...entry(), enabled: "true" }] }],
    ["a name with a space", { keys: [entry({ name: "a b" })] }],
    ["a scope that is one text", { keys: [{ ...entry(), scope: { ledgers: "l1" } }] }],
    ["an empty ledger id", { keys: [entry({ scope: { ledgers: [""] } })] }],
    ["an empty run prefix", { keys: [entry({ scope: { run_prefixes: [""] } })] }],
    ["a key of another kind", { keys: [entry({ public_key: x25519 })] }],
    [
      "a private key",
      { keys: [entry({ public_key: String(first.privateKey.export({ format: "pem", type: "pkcs8" })) })] }
    ],
    ["a raw key", { keys: [entry({ public_key: Buffer.alloc(32).toString("base64") })] }],
    ["a key of small order", { keys: [entry({ public_key: spkiOf([1]) })] }],
    ["a disabled key of small order", { keys: [entry({ public_key: spkiOf([]), enabled: false })] }],
    ["a key of small order in PEM", { keys: [entry({ public_key: pemAround(spkiOf([1])) })] }],
    ["a key in another encoding", { keys: [entry({ public_key: spkiOf(new Uint8Array(32).fill(255)) })] }],
    [
      "a key with a carriage return",
      { keys: [entry({ public_key: pemOf(first.publicKey).replaceAll("\n", "\r\n") })] }
    ],
    ["text after the key", { keys: [entry({ public_key: `${pemOf(first.publicKey)}x` })] }],
    ["one name and key twice, on and off", { keys: [entry(), entry({ enabled: false })] }],
    [
      "one name and key twice in two spellings",
      { keys: [entry(), entry({ public_key: pemOf(first.publicKey).split("\n")[1]! })] }
    ],
    ["too many keys", { keys: Array.from({ length: 1_001 }, (_, n) => entry({ name: `n${n}` })) }]
  ])("is refused with %s", (_name, value) => {
    const parsed = parse(value)
    assert.isTrue(Result.isFailure(parsed))
  })

  it.each([
    ["a key twice", `{"keys":[],"keys":[]}`],
    ["a byte order mark", `\ufeff{"keys":[]}`],
    ["a comment", `{"keys":[]} // none`],
    ["a comma too many", `{"keys":[],}`],
    ["nothing", ""]
  ])("is refused as JSON with %s", (_name, text) => {
    assert.isTrue(Result.isSuccess(parseTrustFile("t.json", utf8Bytes(`{"keys":[]}`))))
    assert.isTrue(Result.isFailure(parseTrustFile("t.json", utf8Bytes(text))))
  })

  it("is refused when it is not UTF-8", () => {
    assert.isTrue(Result.isFailure(parseTrustFile("t.json", Uint8Array.of(0x22, 0xff, 0x22))))
  })

  it.effect("that is missing, a folder or too large is refused", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      mkdirSync(join(folder, "folder"))
      writeFileSync(join(folder, "large"), Buffer.alloc(1_048_577, 0x20))
      for (const [name, reason] of [
        ["none", "no such file"],
        ["folder", "folder"],
        ["large", "over 1048576 bytes"]
      ] as const) {
        const error = yield* Effect.flip(loadTrustFile(join(folder, name)))
        assert.strictEqual(error._tag, "NotATrustFile")
        assert.include(error.message, reason)
      }
    })
  )
})

describe("the judgement over a checkpoint's signatures", () => {
  const text = formatCheckpointBody({ origin: "cassette/l1", size: 1, root: new Uint8Array(32) })
  const signed = (keys: typeof first, name: string, over = text): NoteSignature => {
    const publicKey = publicKeyBytes(pemOf(keys.publicKey))!
    return {
      name,
      keyHash: keyHash(sha256Bytes, { name, publicKey }),
      signature: sign(null, utf8Bytes(over), keys.privateKey)
    }
  }
  const judge = (keys: TrustFile["keys"], signatures: ReadonlyArray<NoteSignature>) => {
    const checkpoint = Result.getOrThrow(parseCheckpoint(formatSignedNote({ text, signatures })))
    const result = trustedSigners({ sha256: sha256Bytes, verify: verifySignature }, { keys }, checkpoint)
    return Result.isSuccess(result) ? result.success.join() : result.failure.reason
  }
  const stranger = signed(second, "stranger")
  const ops = signed(first, "ops")

  it("one trusted signature suffices, wherever it stands", () => {
    assert.strictEqual(judge([entry()], [ops]), "ops")
    assert.strictEqual(judge([entry()], [stranger, ops, stranger]), "ops")
    const both = [entry(), entry({ name: "stranger", public_key: pemOf(second.publicKey) })]
    assert.strictEqual(judge(both, [stranger, ops]), "ops,stranger")
  })

  it("an unknown key, name or hash names no entry", () => {
    assert.strictEqual(judge([], [ops]), "unknown_key")
    assert.strictEqual(judge([entry()], [stranger]), "unknown_key")
    assert.strictEqual(judge([entry({ name: "ops2" })], [ops]), "unknown_key")
    assert.strictEqual(judge([entry()], [signed(second, "ops")]), "unknown_key")
  })

  it("a signature over another text, or of another key under this one's hash, is wrong", () => {
    const forged = { ...signed(second, "ops"), keyHash: ops.keyHash }
    assert.strictEqual(judge([entry()], [forged]), "wrong_signature")
    assert.strictEqual(judge([entry()], [signed(first, "ops", `${text}x\n`)]), "wrong_signature")
    assert.strictEqual(judge([entry()], [{ ...ops, signature: ops.signature.slice(1) }]), "wrong_signature")
  })

  it("a wrong signature of a known key spoils a note that another key has signed", () => {
    const both = [entry(), entry({ name: "stranger", public_key: pemOf(second.publicKey) })]
    const forged = { ...stranger, signature: ops.signature }
    assert.strictEqual(judge(both, [ops, forged]), "wrong_signature")
    assert.strictEqual(judge([entry()], [ops, forged]), "ops")
  })

  it("a disabled key is not believed, and does not spoil", () => {
    assert.strictEqual(judge([entry({ enabled: false })], [ops]), "key_disabled")
    const both = [entry(), entry({ name: "stranger", public_key: pemOf(second.publicKey), enabled: false })]
    assert.strictEqual(judge(both, [ops, { ...stranger, signature: ops.signature }]), "ops")
  })

  it("a note names its keys by name: the same key disabled under another name is another identity", () => {
    assert.strictEqual(judge([entry(), entry({ name: "former", enabled: false })], [ops]), "ops")
    assert.strictEqual(judge([entry({ name: "former" }), entry({ enabled: false })], [ops]), "key_disabled")
  })

  it("a key is believed for the ledgers of its scope alone", () => {
    for (const scope of [{}, { ledgers: [] }, { ledgers: ["l2", "L1", "l"] }, { run_prefixes: ["l1"] }]) {
      assert.strictEqual(judge([entry({ scope })], [ops]), "key_out_of_scope")
    }
    assert.strictEqual(judge([entry({ scope: { ledgers: ["l2", "l1"] } })], [ops]), "ops")
  })
})
