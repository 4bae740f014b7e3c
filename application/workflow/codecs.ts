// How values of workflows are written as JSON and read back. The engine is given decoded payloads and results, encoded results of
// activities, and exits of deferreds whose parts are encoded. Codecs are built once for each workflow: building costs more than using.
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"

const built = new WeakMap<Workflow.Any, ReturnType<typeof build>>()

const build = ({ errorSchema, payloadSchema, successSchema }: Workflow.Any) => ({
  payload: Schema.toCodecJson(payloadSchema),
  result: Schema.toCodecJson(Workflow.Result({ success: successSchema, error: errorSchema }))
})

/** The codecs of a workflow's payload and of its results. */
export const codecsOf = (workflow: Workflow.Any) => {
  const known = built.get(workflow)
  if (known !== undefined) return known
  const codecs = build(workflow)
  built.set(workflow, codecs)
  return codecs
}

const Part = Schema.Union([Schema.Undefined, Schema.Any])

/** The exit of an activity: success and error are encoded, a defect is anything that was thrown. */
export const ActivityExit = Schema.toCodecJson(Schema.Exit(Part, Part, Schema.Defect()))

/** The exit of a deferred: all its parts are encoded. */
export const DeferredExit = Schema.toCodecJson(Schema.Exit(Part, Part, Part))

/** Why a body ended without a result. */
export const BodyCause = Schema.toCodecJson(Schema.Cause(Schema.Never, Schema.Defect()))
