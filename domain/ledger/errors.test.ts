// The stable codes of errors and the words in their messages that people and programs look for.
import { describe, expect, it } from "vitest"
import {
  ClockFarBehindHead,
  IdempotencyConflict,
  LeaseExpired,
  LeaseNotExpired,
  LedgerClosed,
  type MessageCassetteError,
  NoPendingStep,
  NotLeased,
  RestoreRefused,
  StaleFencingToken,
  StepNotFound,
  WrongLedger,
  WrongRun,
  WrongWorker,
  StoreCorrupt
} from "./errors.ts"
import { DuplicateId, ThoughtNotFound } from "./thoughts/errors.ts"
import { errorCode, isRetryable, InvalidInput, InvariantViolation } from "../foundation/errors.ts"
import {
  FileMissing,
  NetworkFileSystem,
  UnsafePlace,
  NotALedger,
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreBusy,
  StoreNewerThanProgram
} from "../foundation/storage-errors.ts"

const step_id = "step_1"
const file = "/data/ledger.db"
const time = "2026-11-27T10:00:00.000Z"
const later = "2026-11-27T10:05:00.000Z"

/** One of each, with its code and a part of its message. */
const cases: ReadonlyArray<readonly [MessageCassetteError, string, string]> = [
  [new InvalidInput({ message: "/ttl: no", issues: [] }), "INVALID_PARAMS", "/ttl: no"],
  [
    new NoPendingStep({ run_id: "r", job_id: null, prefix: null }),
    "NO_PENDING_STEP",
    "No pending steps in run r"
  ],
  [
    new NoPendingStep({ run_id: "r", job_id: "j", prefix: null }),
    "NO_PENDING_STEP",
    "No pending steps in job j"
  ],
  [
    new NoPendingStep({ run_id: "r", job_id: null, prefix: null, leased: 3, expired: 2 }),
    "NO_PENDING_STEP",
    "No pending steps in run r; 1 lease(s) are running there; 2 lease(s) have ended there: requeue their steps (cortex cassette leases --expired lists them)"
  ],
  [
    new NoPendingStep({ run_id: null, job_id: null, prefix: "" }),
    "NO_PENDING_STEP",
    "No pending steps in any run"
  ],
  [
    new NoPendingStep({ run_id: null, job_id: null, prefix: "order-" }),
    "NO_PENDING_STEP",
    "No pending steps in any run order-…"
  ],
  [new StepNotFound({ step_id }), "STEP_NOT_FOUND", "step_1"],
  [new WrongRun({ step_id, run_id: "a", actual_run_id: "b" }), "WRONG_RUN", "belongs to run b, not to a"],
  [new NotLeased({ step_id, status: "PENDING", receipt: null }), "NOT_LEASED", "it is PENDING"],
  [
    new WrongWorker({ step_id, worker_id: "w1", lease_owner: "w2" }),
    "WRONG_WORKER",
    "leased by w2, not by w1"
  ],
  [
    new StaleFencingToken({ step_id, fencing_token: 1, current_token: 2 }),
    "STALE_FENCING_TOKEN",
    "Fencing token mismatch on step step_1: given 1, current 2"
  ],
  [new LeaseExpired({ step_id, lease_expires_at: time, now: later }), "LEASE_EXPIRED", "lease expired"],
  [
    new LeaseNotExpired({ step_id, lease_owner: "w1", lease_expires_at: later, now: time }),
    "LEASE_NOT_EXPIRED",
    `leased by w1 until ${later}`
  ],
  [
    new IdempotencyConflict({
      run_id: "r",
      idempotency_key: "k",
      message_id: "msg_1",
      differs: ["source", "payload"],
      stored_source: "USER",
      given_source: "SYSTEM",
      stored_payload_hash: "aa",
      given_payload_hash: "bb"
    }),
    "IDEMPOTENCY_CONFLICT",
    "another source and payload (payload aa, given bb)"
  ],
  [new DuplicateId({ id: "t-1", task_id: "a" }), "DUPLICATE_ID", "id t-1 already, in task a"],
  [new ThoughtNotFound({ id: "t-1" }), "THOUGHT_NOT_FOUND", "t-1"],
  [new InvariantViolation({ message: "append-only" }), "INVARIANT_VIOLATION", "append-only"],
  [new StoreBusy({ waited_ms: 10 }), "STORE_BUSY", "10 ms"],
  [
    new StoreCorrupt({ code: "CHAIN_BROKEN", where: "event 7", finding: "bad hash" }),
    "STORE_CORRUPT",
    "CHAIN_BROKEN at event 7: bad hash"
  ],
  [new ClockFarBehindHead({ now: time, head_recorded_at: later }), "CLOCK_FAR_BEHIND_HEAD", later],
  [
    new StoreNewerThanProgram({ file, version: 9, supported: 2 }),
    "STORE_NEWER_THAN_PROGRAM",
    "version 9, this program knows 2"
  ],
  [new WrongLedger({ file, expected: "a", actual: "b" }), "WRONG_LEDGER", "is ledger b, not a"],
  [new NetworkFileSystem({ file, kind: "NFS" }), "NETWORK_FILE_SYSTEM", "NFS"],
  [
    new UnsafePlace({ file, code: "SEVERAL_NAMES", reason: "it has 2 names" }),
    "UNSAFE_PLACE",
    "it has 2 names"
  ],
  [
    new RestoreRefused({ file, code: "NEWER_EVENTS", reason: "2 event(s) are newer" }),
    "RESTORE_REFUSED",
    "2 event(s) are newer"
  ],
  [new NotALedger({ file, reason: "it is empty" }), "NOT_A_LEDGER", "it is empty"],
  [new FileMissing({ file }), "FILE_MISSING", file],
  [new ReadOnlyStore({ file }), "READ_ONLY_STORE", file],
  [new StorageFull({ file }), "STORAGE_FULL", file],
  [new StorageFailure({ file, code: "SQLITE_IOERR", reason: "disk" }), "STORAGE_FAILURE", "SQLITE_IOERR"],
  [new LedgerClosed(), "LEDGER_CLOSED", "closed"]
]

describe("errors", () => {
  it.each(cases)("%s has the code %s and says %j", (error, code, part) => {
    expect(errorCode(error)).toBe(code)
    expect(error.message).toContain(part)
  })

  it("are final, but for a store that was busy", () => {
    const retryable = cases.filter(([error]) => isRetryable(error)).map(([error]) => error._tag)
    expect(new Set(retryable)).toEqual(new Set(["StoreBusy"]))
  })

  it("are all covered here, each with a code of its own", () => {
    const tags = new Set(cases.map(([error]) => error._tag))
    expect(new Set(cases.map(([, code]) => code)).size).toBe(tags.size)
    expect(tags.size).toBe(27)
  })

  it.each([
    ["DuplicateId", "DUPLICATE_ID"],
    ["Usage", "USAGE"],
    ["SQLThing", "SQL_THING"]
  ])("the tag %s is spelled %s", (_tag, code) => {
    expect(errorCode({ _tag })).toBe(code)
  })
})
