// The program of a child process that serves one external cassette: it answers requests one after another and does
// nothing else. What this file leads to is loaded into every child.
import type { AskedBirth } from "../../../domain/network/birth.ts"
import { messageValue } from "../../../domain/canonical/written-json.ts"
import { cassetteAnswers, serve } from "./child-service.ts"

const [file = "", id = "", asked = "{}"] = process.argv.slice(2)

serve(cassetteAnswers(file, id, messageValue(asked) as AskedBirth))
