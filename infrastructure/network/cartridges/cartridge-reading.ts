// Reads a cartridge from its manifest to its last line, and judges every line before it is handed on. Receipts and records
// are read side by side, one line of each at a time, so that no cartridge is too large. The first fault ends the
// reading as CartridgeRefused, with the file and the line.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { JsonValue } from "../../../domain/canonical/json.ts"
import { parseCanonicalJson } from "../../../domain/canonical/stored-json.ts"
import { readJsonBytes } from "../../../domain/canonical/strict-reader.ts"
import type { CartridgeFile } from "../../../domain/network/cartridges/cartridge-names.ts"
import {
  type CartridgeManifest,
  type CartridgeReceipt,
  type CartridgeRecord,
  decodeCartridgeManifest,
  decodeCartridgeReceipt,
  decodeCartridgeRecord
} from "../../../domain/network/cartridges/cartridge.ts"
import {
  CartridgeCheck,
  type Fault,
  manifestFault,
  versionFault
} from "../../../domain/network/cartridges/cartridge-check.ts"
import { type CartridgeFault, CartridgeRefused } from "../../../domain/network/errors.ts"
import { fieldFault } from "../../../domain/network/field-fault.ts"
import { MAX_CARTRIDGE_LINE_BYTES } from "../../../domain/network/limits.ts"
import { linesFrom } from "../../files/json-lines.ts"
import { sha256, sha256Bytes } from "../../hashing/sha256.ts"
import type { OpenCartridge } from "./cartridge-files.ts"

/** Longest line of a manifest or a receipt (bytes); an honest one has about 1,500. */
const MAX_SHORT_LINE_BYTES = 65_536

/** A receipt with the record that it wrote, if the cartridge holds it. */
export interface CartridgeWrite {
  readonly receipt: CartridgeReceipt
  readonly record: CartridgeRecord | undefined
}

interface Line<A> {
  readonly line: number
  readonly value: A
}

type Refuse = (
  code: CartridgeFault,
  file: CartridgeFile,
  line: number | null,
  reason: string
) => CartridgeRefused

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const canonicalValue = (bytes: Uint8Array): JsonValue | undefined => {
  try {
    return parseCanonicalJson(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

/** Why bytes are no canonical line. */
const malformed = (bytes: Uint8Array): string => {
  const read = readJsonBytes(bytes, "jcs/1")
  return Result.isFailure(read)
    ? read.failure.message.replace("at line 1, column", "at column")
    : "it is not in canonical form (jcs/1)"
}

/** The lines of one file, decoded one by one. */
function* linesOf<A>(
  { parts }: OpenCartridge,
  file: CartridgeFile,
  maxBytes: number,
  decode: (value: JsonValue) => Result.Result<A, Schema.SchemaError | Fault>,
  refuse: Refuse
): Generator<Line<A>> {
  const { descriptor, end, start } = parts[file]
  let line = 0
  for (const { bytes, ended } of linesFrom(descriptor, start, maxBytes, end)) {
    line += 1
    if (bytes.length > maxBytes) {
      throw refuse("LINE_TOO_LONG", file, line, `it has more than ${maxBytes} bytes`)
    }
    if (!ended) throw refuse("LINE_CUT_OFF", file, line, "it does not end with a line feed")
    const value = canonicalValue(bytes)
    if (value === undefined) throw refuse("LINE_MALFORMED", file, line, malformed(bytes))
    const decoded = decode(value)
    if (Result.isFailure(decoded)) {
      const { failure } = decoded
      throw Schema.isSchemaError(failure)
        ? refuse("FIELD_INVALID", file, line, fieldFault(failure))
        : refuse(failure.code, file, line, failure.reason)
    }
    yield { line, value: decoded.success }
  }
}

const readManifest = (cartridge: OpenCartridge, refuse: Refuse): CartridgeManifest => {
  const decode = (value: JsonValue): Result.Result<CartridgeManifest, Schema.SchemaError | Fault> => {
    const fault = versionFault(value)
    return fault === undefined ? decodeCartridgeManifest(value) : Result.fail(fault)
  }
  const [first, second] = linesOf(cartridge, "manifest.json", MAX_SHORT_LINE_BYTES, decode, refuse)
  if (first === undefined) throw refuse("FIELD_INVALID", "manifest.json", 1, "the file is empty")
  if (second !== undefined) throw refuse("FIELD_INVALID", "manifest.json", 2, "a manifest is one line")
  const fault = manifestFault(sha256, first.value)
  if (fault !== undefined) throw refuse(fault.code, "manifest.json", 1, fault.reason)
  return first.value
}

/** What reads one cartridge; its members throw `CartridgeRefused`. */
export interface CartridgeReader {
  readonly manifest: CartridgeManifest
  /** Every write in order; when it ends without a throw, the whole cartridge is sound. */
  readonly writes: () => Generator<CartridgeWrite, void>
}

/** Begins to read a cartridge: its manifest is read and judged. */
export const readCartridge = (cartridge: OpenCartridge): CartridgeReader => {
  const refuse: Refuse = (code, file, line, reason) =>
    new CartridgeRefused({ cartridge: cartridge.path, code, file, line, reason })
  const manifest = readManifest(cartridge, refuse)
  const judge = (fault: Fault | undefined, file: CartridgeFile, line: number | null): void => {
    if (fault !== undefined) throw refuse(fault.code, fault.file ?? file, line, fault.reason)
  }
  function* writes(): Generator<CartridgeWrite, void> {
    const check = new CartridgeCheck({ sha256, sha256Bytes }, manifest)
    const records = linesOf(
      cartridge,
      "records.jsonl",
      MAX_CARTRIDGE_LINE_BYTES,
      decodeCartridgeRecord,
      refuse
    )
    const receipts = linesOf(
      cartridge,
      "receipts.jsonl",
      MAX_SHORT_LINE_BYTES,
      decodeCartridgeReceipt,
      refuse
    )
    let next = records.next()
    for (const { line, value: receipt } of receipts) {
      judge(check.receipt(receipt), "receipts.jsonl", line)
      const record = next.done === true ? undefined : next.value
      if (record === undefined || record.value.receipt_index > receipt.receipt_index) {
        yield { receipt, record: undefined }
        continue
      }
      judge(check.record(record.value), "records.jsonl", record.line)
      yield { receipt, record: record.value }
      next = records.next()
      if (next.done !== true && next.value.value.receipt_index <= receipt.receipt_index) {
        const reason = "records stand in the order of their receipts, one to each"
        throw refuse("ORDER_WRONG", "records.jsonl", next.value.line, reason)
      }
    }
    if (next.done !== true) {
      const { line, value } = next.value
      const reason = `there is no receipt ${value.receipt_index}`
      throw refuse("RECORD_WITHOUT_RECEIPT", "records.jsonl", line, reason)
    }
    const missing = check.missing()
    // A receipt's number is that of its line.
    if (missing !== undefined) judge(missing.fault, "receipts.jsonl", missing.receipt_index)
    judge(check.end(manifest), "manifest.json", null)
  }
  return { manifest, writes }
}
