// The operations of every service that a layer gives, with arguments that would do. Tests walk the members of the services, so that a
// new one has to stand here.
import { join } from "node:path"
import type * as Layer from "effect/Layer"
import { ExpansionCache } from "../../../application/corpus/expansion-cache.ts"
import { Checkpoints, Corpus, Ledger, Thoughts } from "../index.ts"
import { Network } from "../network.ts"

const step = { run_id: "r", step_id: "step_0000000000002_6bc3e907409fef01.0001.00001" }
const trust = { origin: "cassette/x", keys: [] } as never

/** A layer, the error of its closed services, and their operations. */
interface Operations {
  readonly layer: (folder: string) => Layer.Layer<never, unknown>
  readonly tag: string
  readonly services: ReadonlyArray<{
    readonly service: { readonly key: string }
    /** The functions with arguments that would do; effects need none. */
    readonly calls: Readonly<Record<string, ReadonlyArray<unknown>>>
    readonly values?: ReadonlyArray<string>
  }>
}

/** Every operation that a program with Effect has, by the layer that gives it. */
export const operationsOf: Readonly<Record<string, Operations>> = {
  "Ledger.layer": {
    layer: (folder) => Ledger.layer({ filename: join(folder, "l.db") }),
    tag: "LedgerClosed",
    services: [
      {
        service: Ledger,
        values: ["ledgerId", "fault"],
        calls: {
          postMessage: [{ run_id: "r", source: "USER", payload: {} }],
          claimStep: [{ run_id: "r", worker_id: "w" }],
          claimAny: [{ worker_id: "w" }],
          renewLease: [{ ...step, worker_id: "w", fencing_token: 1 }],
          commands: [[{ _tag: "ClaimAny", worker_id: "w" }]],
          leases: [],
          waiting: [],
          failures: [],
          changed: [0],
          eventsAfter: [],
          eventsBefore: [],
          runLength: ["r"],
          ids: [{ kind: "run", prefix: "r" }],
          completeStep: [
            { ...step, worker_id: "w", fencing_token: 1, receipt_payload: {}, outcome: "SUCCESS" }
          ],
          requeueStep: [{ ...step, reason: "x", force: true }],
          message: ["m"],
          messages: ["r"],
          jobStatus: ["j"],
          steps: [{ run_id: "r" }],
          receipts: [{ run_id: "r" }],
          stepStates: ["r"],
          runSummary: ["r"],
          events: [],
          stateAt: [{ position: 1 }],
          stateRowsAt: [{ position: 1 }],
          verifyCassette: [],
          backup: ["/nowhere/b.db"],
          rebuild: ["/nowhere/r.db"]
        }
      },
      {
        service: Thoughts,
        calls: {
          createThoughtRecord: [{ type: "plan", task_id: "t", agent_id: "a", content: "c" }],
          getThoughtRecord: ["x"],
          thoughtRow: ["x"],
          thoughtIdOf: ["x"],
          listThoughtRecords: [],
          thoughtRecords: [],
          verifyChain: []
        }
      },
      {
        service: Checkpoints,
        calls: {
          make: [{ key: undefined }],
          verify: ["note", trust],
          proveInclusion: [{ position: 1 }],
          proveInclusions: [{ events: [] }],
          proveConsistency: [{ from: 0 }]
        }
      }
    ]
  },
  "Corpus.layer": {
    layer: (root) => Corpus.layer({ root }),
    tag: "CorpusClosed",
    services: [
      {
        service: Corpus,
        calls: {
          index: [],
          sections: [],
          section: ["x"],
          sectionIdOf: ["x"],
          addSymbol: [{ symbol_id: "@A/b", path: "a.md" }],
          symbols: [],
          symbol: ["@A/b"],
          removeSymbol: ["@A/b"],
          checkSymbols: [],
          currentSection: ["@A/b"],
          sectionText: [{}],
          resolve: [{ reference: "@A/b", slice: "head(1)", run_id: "r" }],
          measure: [[]],
          verify: []
        }
      },
      { service: ExpansionCache, values: ["substrate"], calls: { lookup: [{}], store: [{}] } }
    ]
  },
  "Network.layerEmpty": {
    layer: () => Network.layerEmpty,
    tag: "NetworkClosed",
    services: [
      {
        service: Network,
        calls: {
          register: [{}],
          unregister: ["x"],
          swap: [{}],
          swapEmbedder: [undefined],
          query: ["x"],
          queryAll: ["x"],
          queryByCapability: ["x", "fts"],
          neighbours: ["x"],
          memorySave: ["x", "c"],
          memoryQuery: ["x"],
          memoryForget: ["x", "y"],
          memoryRecall: ["x"],
          resolveSymbol: ["x"],
          expandSymbols: ["x"],
          shortSymbols: [["x"]]
        }
      }
    ]
  }
}
