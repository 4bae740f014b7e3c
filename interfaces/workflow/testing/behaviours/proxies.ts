// Workflows behind an API: what callers from elsewhere reach is the same engine.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Etag from "effect/http/Etag"
import * as HttpPlatform from "effect/http/HttpPlatform"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiTest from "effect/http-api/HttpApiTest"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as RpcTest from "effect/rpc/RpcTest"
import { DurableDeferred, WorkflowProxy, WorkflowProxyServer } from "effect/workflow"
import { expect } from "vitest"
import {
  type Behaviour,
  behaviour,
  give,
  register,
  textDeferred,
  textWorkflow,
  told,
  until,
  untilEnded,
  untilSuspended
} from "../behaviour.ts"

const gate = textDeferred("gate")

export const proxies: ReadonlyArray<Behaviour> = [
  behaviour("WorkflowProxyServer.layerRpcHandlers", "executes, starts and resumes", function* () {
    const Greet = textWorkflow("Greet")
    let bodies = 0
    yield* register(Greet, ({ id }) =>
      Effect.suspend(() => {
        bodies += 1
        return id === "waits" ? DurableDeferred.await(gate) : Effect.succeed(`hello ${id}`)
      })
    )
    const workflows = [Greet] as const
    const handlers = yield* Layer.build(WorkflowProxyServer.layerRpcHandlers(workflows))
    const client = yield* RpcTest.makeClient(WorkflowProxy.toRpcGroup(workflows)).pipe(
      Effect.provideContext(handlers)
    )
    expect(yield* client.Greet({ id: "Ada" })).toBe("hello Ada")
    const executionId = yield* client.GreetDiscard({ id: "waits" })
    expect(executionId).toBe(yield* Greet.executionId({ id: "waits" }))
    yield* untilSuspended(Greet, executionId)
    const before = bodies
    yield* client.GreetResume({ executionId })
    yield* until("the body ran again", () => bodies === before + 1)
    yield* untilSuspended(Greet, executionId)
    yield* give(gate, Greet, executionId, "open")
    expect(told(yield* untilEnded(Greet, executionId))).toBe("success open")
  }),
  behaviour("WorkflowProxyServer.layerHttpApi", "executes, starts and resumes", function* () {
    const Greet = textWorkflow("Greet")
    let bodies = 0
    yield* register(Greet, ({ id }) =>
      Effect.suspend(() => {
        bodies += 1
        return id === "waits" ? DurableDeferred.await(gate) : Effect.succeed(`hello ${id}`)
      })
    )
    const workflows = [Greet] as const
    const api = HttpApi.make("api").add(WorkflowProxy.toHttpApiGroup("workflows", workflows))
    const platform = HttpPlatform.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(FileSystem.layerNoop({}), Etag.layer, Path.layer))
    )
    const services = yield* Layer.build(
      Layer.provideMerge(WorkflowProxyServer.layerHttpApi(api, "workflows", workflows), platform)
    )
    const client = yield* HttpApiTest.groups(api, ["workflows"]).pipe(Effect.provideContext(services))
    expect(yield* client.workflows.Greet({ payload: { id: "Ada" } })).toBe("hello Ada")
    const executionId = yield* client.workflows.GreetDiscard({ payload: { id: "waits" } })
    expect(executionId).toBe(yield* Greet.executionId({ id: "waits" }))
    yield* untilSuspended(Greet, executionId)
    const before = bodies
    yield* client.workflows.GreetResume({ payload: { executionId } })
    yield* until("the body ran again", () => bodies === before + 1)
    yield* untilSuspended(Greet, executionId)
    yield* give(gate, Greet, executionId, "open")
    expect(told(yield* untilEnded(Greet, executionId))).toBe("success open")
  })
]
