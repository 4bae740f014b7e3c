/**
 * Attestations: the exact envelope of a key that never changes, whom they are believed from, and every way in which one
 * does not count.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { joinBytes } from "../canonical/bytes.ts"
import { jcsText } from "../canonical/jcs.ts"
import type { SignatureChecks, TrustFile } from "../evidence/trust.ts"
import { attestationMessage, attestationSigners, attestationText } from "./attestation.ts"
import { bytesOf, goldenManifest, sha256 } from "./testing/smallest-bundle.ts"

const SPKI = Buffer.from("302a300506032b6570032100", "hex")
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

/** A key of 32 equal bytes; Ed25519 signs without chance, so its signatures never change. */
const keyOf = (byte: number) => {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.alloc(32, byte)]),
    format: "der",
    type: "pkcs8"
  })
  const spki = createPublicKey(key).export({ format: "der", type: "spki" })
  return {
    publicKey: Uint8Array.from(spki.subarray(SPKI.length)),
    text: spki.toString("base64"),
    sign: (message: Uint8Array) => sign(null, message, key)
  }
}

const checks: SignatureChecks = {
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
  verify: (publicKey, message, signature) =>
    signature.length === 64 &&
    verify(
      null,
      message,
      createPublicKey({ key: Buffer.from(joinBytes(SPKI, publicKey)), format: "der", type: "spki" }),
      signature
    )
}

const bundle = {
  manifest: goldenManifest,
  manifestHash: sha256(Buffer.from(bytesOf(goldenManifest)).toString())
}
const key = keyOf(7)
const textBy = ({ publicKey, sign: signs }: typeof key): string =>
  attestationText(checks.sha256, bundle, publicKey, signs(attestationMessage(bundle)))
const text = textBy(key)

const trustOf = (changes: Partial<TrustFile["keys"][number]> = {}): TrustFile => ({
  keys: [
    { name: "builder", public_key: key.text, scope: { run_prefixes: ["run_"] }, enabled: true, ...changes }
  ]
})

const judged = (envelope: string, trust = trustOf(), about = bundle) =>
  attestationSigners(checks, trust, about, Buffer.from(envelope))

const codeOf = (...given: Parameters<typeof judged>) => {
  const result = judged(...given)
  return Result.isFailure(result) ? result.failure.code : result.success
}

interface Envelope {
  readonly payload: string
  readonly signatures: ReadonlyArray<{ readonly keyid: string; readonly sig: string }>
}

const envelope = JSON.parse(text) as Envelope
const statement = JSON.parse(Buffer.from(envelope.payload, "base64").toString()) as object

/** The envelope of another payload, rightly signed. */
const about = (payload: string): string => {
  const type = "application/vnd.in-toto+json"
  const message = Buffer.from(`DSSEv1 ${type.length} ${type} ${Buffer.byteLength(payload)} ${payload}`)
  const signatures = [{ ...envelope.signatures[0]!, sig: key.sign(message).toString("base64") }]
  return jcsText({ ...envelope, payload: Buffer.from(payload).toString("base64"), signatures })
}

describe("an attestation", () => {
  it("is a DSSE envelope with an in-toto statement about bundle.json", () => {
    assert.deepStrictEqual(statement, {
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: "bundle.json", digest: { sha256: bundle.manifestHash } }],
      predicateType: "urn:cortex-cassette:bundle:5.0.0",
      predicate: {
        bundle_id: goldenManifest.bundle_id,
        run_id: "run_1",
        job_id: goldenManifest.job_id,
        message_id: goldenManifest.message_id,
        plan_hash: goldenManifest.plan_hash,
        root_hash: goldenManifest.hashes.root_hash
      }
    })
    assert.strictEqual(text, textBy(keyOf(7)))
    assert.strictEqual(about(jcsText(statement)), text.trimEnd())
  })

  it("is believed from an enabled key whose scope has the run", () => {
    assert.deepStrictEqual(codeOf(text), ["builder"])
    assert.deepStrictEqual(codeOf(text, trustOf({ scope: { run_prefixes: ["x", "run_1"] } })), ["builder"])
  })

  it("is believed when one signature of several is", () => {
    const stranger = { keyid: "0".repeat(64), sig: "AAAA" }
    assert.deepStrictEqual(codeOf(jcsText({ ...envelope, signatures: [stranger, ...envelope.signatures] })), [
      "builder"
    ])
  })

  it("is not believed from anybody else", () => {
    const trusts: ReadonlyArray<TrustFile> = [
      { keys: [] },
      trustOf({ enabled: false }),
      trustOf({ scope: { run_prefixes: ["run_2"] } }),
      trustOf({ scope: { ledgers: ["run_1"] } }),
      trustOf({ public_key: keyOf(8).text })
    ]
    for (const trust of trusts) assert.strictEqual(codeOf(text, trust), "ATTESTATION_UNTRUSTED")
  })

  it("with a wrong signature of a known key is not believed, no matter who else has signed", () => {
    const [own] = envelope.signatures
    for (const sig of ["", "AAAA", own!.sig.replace(/^./, (c) => (c === "A" ? "B" : "A"))]) {
      const spoilt = jcsText({ ...envelope, signatures: [own!, { ...own!, sig }] })
      assert.strictEqual(codeOf(spoilt), "ATTESTATION_UNTRUSTED", sig)
    }
  })

  it("by a key that is disabled under another name is not believed, and the message says so", () => {
    const [on] = trustOf().keys
    const unnamed = jcsText({ ...envelope, signatures: [{ sig: envelope.signatures[0]!.sig }] })
    for (const off of [
      { ...on!, name: "former", enabled: false },
      { ...on!, name: "former", enabled: false, scope: {} }
    ]) {
      for (const keys of [[on!, off], [off, on!], [off]]) {
        for (const given of [text, unnamed]) {
          const result = judged(given, { keys })
          assert.isTrue(Result.isFailure(result))
          if (Result.isFailure(result)) {
            assert.strictEqual(result.failure.code, "ATTESTATION_UNTRUSTED")
            assert.include(result.failure.message, "disabled there, as former")
          }
        }
      }
    }
    const other = { ...on!, name: "other", public_key: keyOf(8).text }
    const both = jcsText({
      ...envelope,
      signatures: [...envelope.signatures, ...(JSON.parse(textBy(keyOf(8))) as Envelope).signatures]
    })
    const keys = [on!, { ...on!, name: "former", enabled: false }, other]
    assert.deepStrictEqual(codeOf(both, { keys }), ["other"])
  })

  it("is read as other programs write it: url-safe, without padding, with other fields", () => {
    const urlSafe = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_")
    const bare = (base64: string) => base64.replace(/=+$/, "")
    const spellings = [urlSafe, bare, (base64: string) => bare(urlSafe(base64))]
    // A payload and a signature that hold digits in which the alphabets differ.
    const [own] = envelope.signatures
    assert.match(own!.sig, /[+/]/)
    for (const spell of spellings) {
      const sig = { ...own!, sig: spell(own!.sig) }
      const given = jcsText({ ...envelope, payload: spell(envelope.payload), signatures: [sig] })
      assert.deepStrictEqual(codeOf(given), ["builder"])
    }
    const more = { ...envelope, more: 1, signatures: [{ ...own!, cert: "x" }] }
    assert.deepStrictEqual(codeOf(jcsText(more)), ["builder"])
    for (const payload of [`${envelope.payload}=`, ` ${envelope.payload}`, `${bare(envelope.payload)}====`]) {
      assert.strictEqual(codeOf(jcsText({ ...envelope, payload })), "ATTESTATION_INVALID", payload)
    }
  })

  it("without key ids is believed when any trusted key fits, and a stranger beside it spoils nothing", () => {
    const sigOf = (text: string) => (JSON.parse(text) as Envelope).signatures[0]!.sig
    const [own, strange] = [sigOf(text), sigOf(textBy(keyOf(8)))]
    const withAll = (...signatures: ReadonlyArray<object>) =>
      codeOf(jcsText({ ...envelope, signatures: signatures as never }))
    assert.deepStrictEqual(withAll({ sig: own }), ["builder"])
    assert.deepStrictEqual(withAll({ sig: own, keyid: "" }), ["builder"])
    assert.deepStrictEqual(withAll({ sig: strange }, { sig: own }), ["builder"])
    assert.strictEqual(withAll({ sig: strange }), "ATTESTATION_UNTRUSTED")
    assert.strictEqual(withAll({ sig: "*" }, { sig: "" }), "ATTESTATION_UNTRUSTED")
  })

  it("of another bundle is about another subject", () => {
    const other = { ...bundle, manifestHash: "0".repeat(64) }
    assert.strictEqual(codeOf(text, trustOf(), other), "ATTESTATION_SUBJECT")
    assert.strictEqual(codeOf(about(jcsText({ ...statement, subject: [] }))), "ATTESTATION_SUBJECT")
  })

  it("that is no envelope with a statement is invalid", () => {
    const texts = [
      "",
      "{}",
      text.replace("{", '{"payload":"",'),
      jcsText({ ...envelope, signatures: [] }),
      jcsText({ ...envelope, payload: "*" }),
      jcsText({ ...envelope, payloadType: "text/plain" }),
      about("{}"),
      about("no statement")
    ]
    for (const given of texts) assert.strictEqual(codeOf(given), "ATTESTATION_INVALID", given.slice(0, 80))
  })
})
