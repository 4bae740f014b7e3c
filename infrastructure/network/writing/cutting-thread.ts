// The program of a thread that cuts documents into chunks and takes their words apart, while another thread writes those
// before them. It opens no file: closing one that is a database would drop the locks of the whole process.
import { parentPort } from "node:worker_threads"
import type { CutRecord } from "../index/chunk-rows.ts"
import { searchedChunksOf } from "../index/chunk-terms.ts"

parentPort?.on("message", (documents: ReadonlyArray<CutRecord>) =>
  parentPort?.postMessage(searchedChunksOf(documents))
)
parentPort?.postMessage("ready")
