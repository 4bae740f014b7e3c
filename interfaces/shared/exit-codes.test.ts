// The exit codes that scripts rely on, written down a second time and by family, not derived from the table.
import { describe, expect, it } from "vitest"
import * as corpusErrors from "../../domain/corpus/errors.ts"
import * as checkpointErrors from "../../domain/evidence/checkpoint-errors.ts"
import * as foundationErrors from "../../domain/foundation/errors.ts"
import * as storageErrors from "../../domain/foundation/storage-errors.ts"
import * as ledgerErrors from "../../domain/ledger/errors.ts"
import * as networkErrors from "../../domain/network/errors.ts"
import * as thoughtErrors from "../../domain/ledger/thoughts/errors.ts"
import { exitCodes, stoppedExitCode } from "./exit-codes.ts"

const refusals = [
  "NoPendingStep",
  "StepNotFound",
  "WrongRun",
  "NotLeased",
  "WrongWorker",
  "StaleFencingToken",
  "LeaseExpired",
  "LeaseNotExpired",
  "IdempotencyConflict",
  "DuplicateId",
  "ThoughtNotFound"
] as const

describe("exitCodes", () => {
  it.each([...refusals, "InvariantViolation", "StoreBusy", "StoreCorrupt", "ClockFarBehindHead"] as const)(
    "1 for %s",
    (tag) => expect(exitCodes[tag]).toBe(1)
  )
  it("1 for a prefix of several ids", () => expect(exitCodes.AmbiguousPrefix).toBe(1))
  it("1 for a negative verdict", () => expect(exitCodes.VerificationFailed).toBe(1))
  it.each(["CheckpointUntrusted", "HistoryRewritten", "ProofRefused", "RestoreRefused"] as const)(
    "1 for %s",
    (tag) => expect(exitCodes[tag]).toBe(1)
  )
  it.each([
    "NotACheckpoint",
    "NotAProof",
    "NotATrustFile",
    "NotAKeyFile",
    "InvalidKeyName",
    "KeyFileExists",
    "KeyFileExposed",
    "CheckpointOfAnotherLedger"
  ] as const)("2 for %s", (tag) => expect(exitCodes[tag]).toBe(2))
  it.each([
    "InvalidInput",
    "StoreNewerThanProgram",
    "WrongLedger",
    "NetworkFileSystem",
    "UnsafePlace",
    "NotALedger",
    "FileMissing",
    "ReadOnlyStore"
  ] as const)("2 for %s", (tag) => expect(exitCodes[tag]).toBe(2))
  it.each(["StorageFull", "ResourceExhausted", "OutputFailed"] as const)("1 for want: %s", (tag) =>
    expect(exitCodes[tag]).toBe(1)
  )
  it.each(["StorageFailure", "LedgerClosed", "SigningFailed"] as const)("3 for %s", (tag) =>
    expect(exitCodes[tag]).toBe(3)
  )
  it.each([
    "CorpusCorrupt",
    "SymbolNotFound",
    "SymbolExists",
    "SectionNotFound",
    "FileNotIndexed",
    "TargetVanished",
    "HeadingNotFound",
    "AmbiguousHeading",
    "NotText",
    "FileTooLarge",
    "FileChanged",
    "NotAFile",
    "FileUnreadable",
    "FilesRefused"
  ] as const)("1 for %s", (tag) => expect(exitCodes[tag]).toBe(1))
  it.each(["CorpusMissing", "NotACorpus", "PathOutsideRoot", "InvalidSlice"] as const)("2 for %s", (tag) =>
    expect(exitCodes[tag]).toBe(2)
  )
  it("0 when the reader of the output has gone", () => expect(exitCodes.OutputClosed).toBe(0))

  it("covers every error class of the ledger", () => {
    const errors = { ...foundationErrors, ...storageErrors, ...ledgerErrors, ...thoughtErrors }
    const tags = Object.keys(errors).filter((name) => /^[A-Z]/.test(name))
    expect(tags.length).toBeGreaterThan(20)
    expect(Object.keys(exitCodes)).toEqual(expect.arrayContaining(tags))
  })

  it("covers every error class of checkpoints", () => {
    const notErrors = new Set(["UntrustedReason", "RewriteReason"])
    const tags = Object.keys(checkpointErrors).filter((name) => !notErrors.has(name))
    expect(tags.length).toBe(12)
    expect(Object.keys(exitCodes)).toEqual(expect.arrayContaining(tags))
  })

  it("covers every error class of the corpus", () => {
    const tags = Object.keys(corpusErrors)
    expect(tags.length).toBeGreaterThan(10)
    expect(Object.keys(exitCodes)).toEqual(expect.arrayContaining(tags))
  })

  it.each([
    "CassetteExists",
    "CassetteOffline",
    "ConfigurationExists",
    "EmbedderFailed",
    "EmbedderMismatch",
    "NetworkIncomplete",
    "NetworkUnavailable",
    "NoCassetteWithCapability",
    "WriteRefused"
  ] as const)("1 for %s", (tag) => expect(exitCodes[tag]).toBe(1))
  it.each([
    "ConfigurationMissing",
    "InvalidConfiguration",
    "LedgerIsNotACassette",
    "NotACassette",
    "UnknownCassette"
  ] as const)("2 for %s", (tag) => expect(exitCodes[tag]).toBe(2))

  it("covers every error class of the network", () => {
    const tags = Object.keys(networkErrors)
    expect(tags.length).toBeGreaterThan(13)
    expect(Object.keys(exitCodes)).toEqual(expect.arrayContaining(tags))
  })

  it("counts a stop as shells do", () => {
    expect([stoppedExitCode("SIGINT"), stoppedExitCode("SIGTERM")]).toEqual([130, 143])
  })
})
