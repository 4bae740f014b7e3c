// Transcripts of the Claude Agent SDK in a ledger. A program gives the store to `query({ prompt, options: { sessionStore } })`; here the
// entries of a session are appended by hand, and the SDK reads them back.
import { getSessionMessages, type SessionStore } from "@anthropic-ai/claude-agent-sdk"
import { ledgerSessionStore } from "cortex-cassette/agents/claude-agent-sdk"
import { openLedger } from "cortex-cassette/promise"

await using ledger = await openLedger({ filename: process.argv[2] ?? ":memory:" })
const sessionStore: SessionStore = ledgerSessionStore({ ledger })

const sessionId = "6f8d0f2e-6f35-4d57-9b4c-0d3f1f6f9a11"
const timestamp = "2026-01-01T00:00:00.000Z"
// The SDK names a project by its folder; what it asks for is where the entries belong.
let projectKey = ""
const asking = {
  ...sessionStore,
  load: async (key: { projectKey: string }) => ((projectKey = key.projectKey), null)
}
await getSessionMessages(sessionId, { dir: process.cwd(), sessionStore: asking })
for (const [index, content] of ["Shall I take an umbrella?", "It rains in Oslo."].entries()) {
  const type = index === 0 ? "user" : "assistant"
  const uuid = `11111111-1111-4111-8111-11111111111${index}`
  const parentUuid = index === 0 ? null : "11111111-1111-4111-8111-111111111110"
  const message = { role: type, content }
  await sessionStore.append({ projectKey, sessionId }, [
    { type, uuid, parentUuid, sessionId, timestamp, message }
  ])
}
for (const { type, message } of await getSessionMessages(sessionId, { dir: process.cwd(), sessionStore })) {
  console.log(type, JSON.stringify(message))
}
console.log((await ledger.verifyCassette()).verdict)
