// The example of LedgerSaver in interfaces/agents/langgraph.ts.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
import { LedgerSaver } from "cortex-cassette/agents/langgraph"
import { openLedger } from "cortex-cassette/promise"

export const greet = async (name: string): Promise<string> => {
  const ledger = await openLedger({ filename: "work.db" })
  const graph = new StateGraph(Annotation.Root({ text: Annotation<string> }))
    .addNode("greet", ({ text }) => ({ text: `Hello ${text}` }))
    .addEdge(START, "greet")
    .addEdge("greet", END)
    .compile({ checkpointer: new LedgerSaver({ ledger }) })
  return (await graph.invoke({ text: name }, { configurable: { thread_id: "support-42" } })).text
}
