// One moment of an opened ledger as verification reads it. What only SQLite can judge (schema, pages, foreign keys, JSON) becomes
// findings here; nothing is repaired. Who opens it holds the moment for as long as it is read.
import type { LedgerSnapshot } from "../../../application/ledger/verification/ledger-evidence.ts"
import { DATABASE_VERSION } from "../../../domain/ledger/limits.ts"
import { schemaFindings } from "../../sqlite/checks/schema-check.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { boundedColumns } from "../../sqlite/checks/stored-cells.ts"
import { selectStreamsAfter } from "../statements/compiled/ledger-statements.ts"
import { EvidenceRows, guarded } from "../statements/evidence-rows.ts"
import { stepsOf } from "../opening/ledger-inspection.ts"
import { LEDGER_VERSIONS, schemaSteps } from "../opening/schema-snapshots.ts"
import { type PageCheck, structureFindings } from "../opening/structure-findings.ts"

/** The snapshot of a host's moment; `name` is what errors call the ledger. */
export const makeSnapshot = (host: SqlHost, name: string, pages: PageCheck): LedgerSnapshot => {
  const rows = new EvidenceRows(host, name)
  return {
    version: () => guarded(name, () => stepsOf(host, schemaSteps()).at(-1)?.version ?? DATABASE_VERSION),
    structure: () => guarded(name, () => structureFindings(host, pages)),
    schema: () => guarded(name, () => schemaFindings(host, LEDGER_VERSIONS, stepsOf(host, schemaSteps()))),
    head: () =>
      guarded(
        name,
        () =>
          host.all<{ size: number; hash: string }>(`SELECT ${boundedColumns(["size", "hash"])} FROM head`)[0]
      ),
    eventsAfter: (after, limit, stream_id) => rows.eventsAfter({ after, limit, stream_id }),
    streamsAfter: (position) =>
      guarded(name, () => selectStreamsAfter.all(host, { position }).map((row) => String(row.stream_id))),
    rows: (table, runId) => rows.rows(table, runId),
    thoughts: (taskId) => rows.thoughts(taskId),
    taskEvents: (taskId) => rows.taskEvents(taskId),
    takeDamage: () => rows.takeDamage()
  }
}
