// A graph of LangGraph whose checkpoints are kept in a ledger. It is interrupted, and goes on from the ledger. The nodes are scripted:
// take your own instead.
import { Annotation, Command, END, interrupt, isInterrupted, START, StateGraph } from "@langchain/langgraph"
import { LedgerSaver } from "cortex-cassette/agents/langgraph"
import { openLedger } from "cortex-cassette/promise"

await using ledger = await openLedger({ filename: process.argv[2] ?? ":memory:" })
const checkpointer = new LedgerSaver({ ledger })
const thread = { configurable: { thread_id: "support-42" } }

const Report = Annotation.Root({
  city: Annotation<string>,
  text: Annotation<string>,
  sent: Annotation<boolean>
})
const graph = new StateGraph(Report)
  .addNode("write", ({ city }) => ({ text: `It rains in ${city}.` }))
  .addNode("send", () => ({ sent: interrupt("Shall it be sent?") === "yes" }))
  .addEdge(START, "write")
  .addEdge("write", "send")
  .addEdge("send", END)
  .compile({ checkpointer })

const waiting = await graph.invoke({ city: "Oslo" }, thread)
if (isInterrupted<string>(waiting)) console.log(`waits for: ${waiting.__interrupt__[0]?.value}`)
const { sent, text } = await graph.invoke(new Command({ resume: "yes" }), thread)
console.log(`${sent ? "sent" : "not sent"}: ${text}`)

let checkpoints = 0
for await (const _each of checkpointer.list(thread)) checkpoints += 1
console.log(`${checkpoints} checkpoints of the thread`)
console.log((await ledger.verifyCassette()).verdict)
