// Keys as files with their permissions, and signatures against a published note of another implementation.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { bytesOfBase64, utf8Bytes } from "../../domain/canonical/bytes.ts"
import { publicKeyBytes } from "../../domain/evidence/trust.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { verifySignature } from "./ed25519.ts"
import { generateKeyFiles, loadSigningKey } from "./key-files.ts"

const modeOf = (file: string): number => statSync(file).mode & 0o777

describe("a generated key", () => {
  it.effect("is PKCS#8 and SPKI PEM with exact permissions, under any umask", () =>
    Effect.gen(function* () {
      for (const umask of [0o000, 0o022, 0o077, 0o777]) {
        const file = join(temporaryFolder(), "key.pem")
        const before = process.umask(umask)
        const files = yield* generateKeyFiles(file).pipe(
          Effect.ensuring(Effect.sync(() => process.umask(before)))
        )
        assert.deepStrictEqual(files, {
          private_key_file: file,
          public_key_file: `${file}.pub`,
          public_key: readFileSync(`${file}.pub`, "utf8")
        })
        assert.strictEqual(modeOf(file), 0o600)
        assert.strictEqual(modeOf(`${file}.pub`), 0o644)
        const privateKey = createPrivateKey(readFileSync(file))
        const publicKey = createPublicKey(readFileSync(`${file}.pub`))
        assert.match(readFileSync(file, "utf8"), /^-----BEGIN PRIVATE KEY-----\n/)
        assert.match(files.public_key, /^-----BEGIN PUBLIC KEY-----\n/)
        assert.strictEqual(privateKey.asymmetricKeyType, "ed25519")
        const message = Buffer.from("message")
        assert.isTrue(verify(null, message, publicKey, sign(null, message, privateKey)))
      }
    })
  )

  it.effect("signs as Node does, and its public half is the one in the file", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "key.pem")
      const { public_key } = yield* generateKeyFiles(file)
      const key = yield* loadSigningKey(file)
      assert.deepStrictEqual(publicKeyBytes(public_key), key.publicKey)
      const message = utf8Bytes("a\nb\n")
      const signature = yield* key.sign(message) as Effect.Effect<Uint8Array>
      assert.isTrue(verify(null, message, createPublicKey(public_key), signature))
      assert.isTrue(verifySignature(key.publicKey, message, signature))
      assert.isFalse(verifySignature(key.publicKey, utf8Bytes("a\nb"), signature))
      for (let bit = 0; bit < 512; bit++) {
        const flipped = Uint8Array.from(signature)
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        assert.isFalse(verifySignature(key.publicKey, message, flipped))
      }
    })
  )

  it.effect("is never written over anything, and leaves nothing half done", () =>
    Effect.gen(function* () {
      for (const taken of ["key.pem", "key.pem.pub"]) {
        const folder = temporaryFolder()
        writeFileSync(join(folder, taken), "mine")
        const error = yield* Effect.flip(generateKeyFiles(join(folder, "key.pem")))
        assert.strictEqual(error._tag, "KeyFileExists")
        assert.include(error.message, join(folder, taken))
        assert.deepStrictEqual(readdirSync(folder), [taken])
        assert.strictEqual(readFileSync(join(folder, taken), "utf8"), "mine")
      }
    })
  )

  it.effect("is not written through a link, even a dangling one", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const elsewhere = join(temporaryFolder(), "elsewhere")
      symlinkSync(elsewhere, join(folder, "key.pem"))
      const error = yield* Effect.flip(generateKeyFiles(join(folder, "key.pem")))
      assert.strictEqual(error._tag, "KeyFileExists")
      assert.isFalse(existsSync(elsewhere))
      assert.deepStrictEqual(readdirSync(folder), ["key.pem"])
    })
  )

  it.effect("needs a folder", () =>
    Effect.gen(function* () {
      const folder = join(temporaryFolder(), "none")
      const error = yield* Effect.flip(generateKeyFiles(join(folder, "key.pem")))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.include(error.message, `there is no folder ${folder}`)
    })
  )

  it.effect("needs a name that can be one, with .pub behind it too", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      symlinkSync("loop", join(folder, "loop"))
      for (const name of ["k".repeat(252), "k".repeat(300), join("loop", "key.pem")]) {
        const error = yield* Effect.flip(generateKeyFiles(join(folder, name)))
        assert.strictEqual(error._tag, "InvalidInput")
      }
      assert.deepStrictEqual(readdirSync(folder), ["loop"])
    })
  )
})

describe("a key file", () => {
  it.effect("is refused when group or others have any permission", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "key.pem")
      yield* generateKeyFiles(file)
      for (const mode of [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o666]) {
        chmodSync(file, mode)
        const error = yield* Effect.flip(loadSigningKey(file))
        assert.strictEqual(error._tag, "KeyFileExposed")
        assert.include(error.message, `mode 0${mode.toString(8)}`)
      }
      for (const mode of [0o600, 0o400, 0o700]) {
        chmodSync(file, mode)
        yield* loadSigningKey(file)
      }
    })
  )

  it.effect("may be reached through a link; its own permissions count", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const file = join(folder, "key.pem")
      yield* generateKeyFiles(file)
      symlinkSync(file, join(folder, "link"))
      yield* loadSigningKey(join(folder, "link"))
      chmodSync(file, 0o644)
      assert.strictEqual((yield* Effect.flip(loadSigningKey(join(folder, "link"))))._tag, "KeyFileExposed")
    })
  )

  const pem = (type: "rsa" | "x25519", format: "pkcs8") =>
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "pem", type: format })
      : generateKeyPairSync("x25519").privateKey.export({ format: "pem", type: format })
  const ed = generateKeyPairSync("ed25519")
  const secret = String(ed.privateKey.export({ format: "pem", type: "pkcs8" }))

  it.effect.each([
    ["nothing", "", "one block"],
    ["other text", "hello\n", "one block"],
    ["a public key", String(ed.publicKey.export({ format: "pem", type: "spki" })), "one block"],
    ["an RSA key", String(pem("rsa", "pkcs8")), "key of type rsa"],
    ["a key for agreement", String(pem("x25519", "pkcs8")), "key of type x25519"],
    ["a damaged key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "is no private key"],
    [
      "an encrypted key",
      String(ed.privateKey.export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "x" })),
      "one block"
    ],
    ["text before the key", `# mine\n${secret}`, "one block"],
    ["text behind the key", `${secret}mine\n`, "one block"],
    ["two keys", `${secret}${secret}`, "one block"],
    ["other line ends", secret.replaceAll("\n", "\r\n"), "one block"],
    ["too much", "x".repeat(20_000), "over 16384 bytes"]
  ] as const)("is refused with %s", ([, text, reason]) =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "key.pem")
      writeFileSync(file, text, { mode: 0o600 })
      const error = yield* Effect.flip(loadSigningKey(file))
      assert.strictEqual(error._tag, "NotAKeyFile")
      assert.include(error.message, reason)
    })
  )

  it.effect("that is a folder or not there is refused", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      mkdirSync(join(folder, "key.pem"))
      assert.include((yield* Effect.flip(loadSigningKey(join(folder, "key.pem")))).message, "folder")
      assert.include((yield* Effect.flip(loadSigningKey(join(folder, "none")))).message, "no such file")
      const unset = process.env["CASSETTE_KEY_THAT_NOBODY_SET"] as unknown as string
      assert.strictEqual((yield* Effect.flip(loadSigningKey(unset)))._tag, "NotAKeyFile")
    })
  )
})

describe("a signature", () => {
  // The example of Go's package golang.org/x/mod/sumdb/note: verifier key and note.
  const publicKey = bytesOfBase64("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")!.slice(1)
  const text =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
  const signature = bytesOfBase64(
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
  )!.slice(4)

  it("by another implementation is taken", () => {
    assert.isTrue(verifySignature(publicKey, utf8Bytes(text), signature))
    assert.isFalse(verifySignature(publicKey, utf8Bytes(`${text}\n`), signature))
  })

  it("by something that is no key, or of another length, is false and no exception", () => {
    for (const key of [
      new Uint8Array(0),
      new Uint8Array(31),
      new Uint8Array(32),
      new Uint8Array(32).fill(255)
    ]) {
      assert.isFalse(verifySignature(key, utf8Bytes(text), signature))
    }
    assert.isFalse(verifySignature(publicKey, utf8Bytes(text), signature.slice(1)))
    assert.isFalse(verifySignature(publicKey, utf8Bytes(text), new Uint8Array(64)))
  })
})
