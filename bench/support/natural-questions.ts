// Questions as people type them, in our own words, each with the pages that answer it. The pages are the documentation that
// the packages of npm, fastify, undici and pino bring; a question names no page that only mentions what it asks for.

/** A question, and the pages that answer it; any of them is a find. */
export interface NaturalQuestion {
  readonly question: string
  readonly pages: ReadonlyArray<string>
}

const command = (...names: ReadonlyArray<string>) =>
  names.map((name) => `npm/docs/content/commands/${name}.md`)
const configuring = (name: string) => [`npm/docs/content/configuring-npm/${name}.md`]
const using = (name: string) => [`npm/docs/content/using-npm/${name}.md`]
const reference = (...names: ReadonlyArray<string>) =>
  names.map((name) => `fastify/docs/Reference/${name}.md`)
const guide = (name: string) => [`fastify/docs/Guides/${name}.md`]
const api = (...names: ReadonlyArray<string>) => names.map((name) => `undici/docs/docs/api/${name}.md`)
const practice = (name: string) => [`undici/docs/docs/best-practices/${name}.md`]
const pino = (...names: ReadonlyArray<string>) => names.map((name) => `pino/docs/${name}.md`)

const questions: ReadonlyArray<readonly [question: string, pages: ReadonlyArray<string>]> = [
  ["how do I patch a dependency", command("npm-patch")],
  [
    "What can I do when a package that I depend on has a bug and I want to keep my own change to it?",
    command("npm-patch")
  ],
  ["how can I see which of my packages are outdated", command("npm-outdated")],
  ["which command shows me why a package is installed", command("npm-explain")],
  ["how do I find out who I am logged in as", command("npm-whoami")],
  ["is there a way to check my dependencies for known vulnerabilities", command("npm-audit")],
  ["how do I take back a version that I have published by mistake", command("npm-unpublish")],
  ["how do I tell people that they should not use an old version any more", command("npm-deprecate")],
  ["what is the difference between npm ci and npm install", command("npm-ci")],
  ["how do I run a script from my package.json", [...command("npm-run"), ...using("scripts")]],
  ["how do I run a command from a package without installing it first", command("npm-exec", "npx")],
  ["where does npm keep its cache and how do I clean it", command("npm-cache")],
  ["how do I make a tarball out of my package", command("npm-pack")],
  ["what do I have to do to start a new package", command("npm-init")],
  ["how can I raise the version of my package and tag it in git", command("npm-version")],
  ["can I link a local folder as a dependency while I am working on it", command("npm-link")],
  ["how do I get rid of packages that are not listed in package.json", command("npm-prune")],
  ["how do I remove a package", command("npm-uninstall")],
  ["who owns this package and how do I add somebody else", command("npm-owner")],
  ["how do I make an access token for my CI", command("npm-token")],
  ["what does npm do to tell whether my environment is healthy", command("npm-doctor")],
  ["how do I publish under a beta tag and move it to latest afterwards", command("npm-dist-tag")],
  ["how do I get a software bill of materials for my project", command("npm-sbom")],
  ["how can I compare two published versions of a package with each other", command("npm-diff")],
  ["is it possible to have several packages in one repository", using("workspaces")],
  ["what is a scope and when should I use one", using("scope")],
  ["why is there a lock file and should I commit it", configuring("package-lock-json")],
  ["where can I put my registry settings so that they are used for one project only", configuring("npmrc")],
  ["how do I turn on tab completion in my shell", command("npm-completion")],
  [
    "how do I allow only some of my dependencies to run their install scripts",
    command("npm-approve-scripts", "npm-install-scripts")
  ],
  ["how do I publish from a CI provider without any token", command("npm-trust")],
  [
    "what can I write as the version of a dependency",
    [...using("package-spec"), ...configuring("package-json")]
  ],
  [
    "how do I select all packages of a certain licence in my tree",
    [...command("npm-query"), ...using("dependency-selectors")]
  ],
  ["how do I remove npm itself from my computer", using("removal")],
  ["where are the logs that npm writes and how do I get more of them", using("logging")],
  ["how do I change my password or turn on two-factor authentication", command("npm-profile")],
  ["how do I get the same package only once in the tree", command("npm-dedupe", "npm-find-dupes")],
  ["how do I find out how to give money to those who write my dependencies", command("npm-fund")],
  [
    "in which folders are global packages put",
    [...configuring("folders"), ...command("npm-root", "npm-prefix")]
  ],
  ["how do I set a field of package.json from the command line", command("npm-pkg")],

  ["how do I validate the body of a request", reference("Validation-and-Serialization")],
  [
    "how do I write my own plugin and what should it look like",
    [...guide("Write-Plugin"), ...guide("Plugins-Guide"), ...reference("Plugins")]
  ],
  ["what happens when one of my handlers throws an error", reference("Errors", "Reply", "Hooks")],
  ["how can I test my routes without starting a server", guide("Testing")],
  ["how do I use it with TypeScript", reference("TypeScript")],
  ["is there a hook that I can use before the handler is called", reference("Hooks", "Lifecycle")],
  ["how do I redirect somebody to another page", reference("Reply")],
  ["how do I get the ip address of who is calling", reference("Request")],
  ["what do I do to serve over http2", reference("HTTP2")],
  ["how do I run my application on AWS Lambda", guide("Serverless")],
  ["how can I add a property to every request", reference("Decorators")],
  [
    "why can a plugin not see what another one has decorated",
    reference("Encapsulation", "Decorators", "Plugins")
  ],
  ["how do I parse a content type that is not known", reference("ContentTypeParser")],
  ["which things should I change when I come from version 4", guide("Migration-Guide-V5")],
  ["how do I connect to a postgres database", guide("Database")],
  [
    "how do I know that the client has gone away before I have answered",
    guide("Detecting-When-Clients-Abort")
  ],
  [
    "how do I keep passwords out of what is logged for a request",
    [...reference("Logging"), ...pino("redaction")]
  ],
  ["can I still use express middleware", reference("Middleware")],
  ["how do I set the prefix of all routes of a plugin", reference("Routes", "Plugins")],
  ["what is prototype poisoning and am I safe from it", guide("Prototype-Poisoning")],
  ["should I put a reverse proxy in front of it", guide("Recommendations")],
  ["how long is a version supported for", [...reference("LTS"), ...pino("lts")]],
  ["how do I measure how fast my server is", guide("Benchmarking")],
  ["how can I hold back requests until something is ready", guide("Delay-Accepting-Requests")],
  ["how do I raise the limit for the size of a body", reference("Server")],

  [
    "how do I send my requests through a proxy",
    [...practice("proxy"), ...api("ProxyAgent", "EnvHttpProxyAgent")]
  ],
  [
    "how can I make it try again when a request has failed",
    api("RetryAgent", "RetryHandler", "Interceptors")
  ],
  [
    "how do I mock a request in my tests",
    [...practice("mocking-request"), ...api("MockAgent", "MockPool", "MockClient")]
  ],
  ["how do I see which requests were made to a mock", api("MockCallHistory", "MockCallHistoryLog")],
  ["how do I follow redirects", api("Interceptors", "RedirectHandler", "Dispatcher")],
  ["how do I authenticate myself with a client certificate", practice("client-certificate")],
  [
    "what is the difference between the fetch of Node and the one of this module",
    practice("undici-vs-builtin-fetch")
  ],
  ["which error do I get when the connection times out", api("Errors")],
  ["how do I set a cookie on a response", [...api("Cookies")]],
  ["how do I open a websocket", api("WebSocket")],
  ["how do I receive server sent events", api("EventSource")],
  ["how many connections are there in a pool at this moment", api("PoolStats", "Pool")],
  ["how do I spread requests over several servers", api("BalancedPool", "RoundRobinPool")],
  ["how do I record responses once and play them back later", api("SnapshotAgent")],
  ["how should I behave when I crawl other people's sites", practice("crawling")],
  ["how can I cache what servers answer", api("Interceptors", "CacheStore", "CacheStorage")],
  ["how do I connect through socks", api("Socks5ProxyAgent")],
  ["what do I turn on to see what it is doing while I debug", api("Debug", "DiagnosticsChannel")],
  ["how do I check the fingerprint of the certificate that a server shows", api("Connector")],
  ["what has to be changed to go from 7 to 8", practice("migrating-from-v7-to-v8")],
  ["how can I replace the global fetch with this one", api("GlobalInstallation", "Fetch")],

  ["how do I hide secrets in my logs", pino("redaction")],
  ["how do I write logs to more than one file", pino("help", "transports")],
  ["how can I make the output readable for people while I develop", pino("pretty")],
  ["what do I do so that logging does not block my program", pino("asynchronous")],
  ["how do I add the same fields to everything that one part of my program logs", pino("child-loggers")],
  ["does it work in a browser", pino("browser")],
  ["how do I rotate my log files", pino("help")],
  ["how do I send logs to another service from a worker thread", pino("transports")],
  ["what do I need to do when I bundle with webpack", pino("bundling")],
  ["how do I use it with express or koa", pino("web")],
  ["how do I give a level a name of my own", pino("api")]
]

/** All questions, in the order in which they were written. */
export const NATURAL_QUESTIONS: ReadonlyArray<NaturalQuestion> = questions.map(([question, pages]) => ({
  question,
  pages
}))
