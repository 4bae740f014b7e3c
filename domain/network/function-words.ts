// Words that hold a sentence together in seven languages: articles, pronouns, prepositions, auxiliaries, and the words that
// ask. A person who asks in whole sentences types them, and they say nothing of what is looked for. These are closed classes
// of words, written down whole: no verb, noun or adjective with a meaning of its own is among them, and no negation but of
// verbs. Which languages a question is in is told by its own words.
import { fold } from "./folding.ts"

/**
 * The words of one language. `certain` ones tell that it is spoken; `doubtful` ones are words of other languages, names or
 * abbreviations too (`die`, `comment`, `bin`, `vi`), and count only in company.
 */
interface Language {
  /** Words of a sentence that asks; others stand in titles and phrases too. */
  readonly asking: string
  readonly certain: string
  readonly doubtful: string
}

const LANGUAGES: ReadonlyArray<Language> = [
  {
    certain:
      "how what when where which who whom whose why i me my mine myself you your yours yourself he him his she her it its we us our ours they them their theirs somebody someone something anybody anyone anything there here the a an this that these those and or but if because so than then while of to in on at by for from with as into about am is are was were be been being do does did have has had having can could may might must shall should will would not cannot some any such much many please also just too how's what's when's where's who's why's that's there's it's i'm i've i'd i'll you're you've you'd you'll we're we've we'd we'll they're they've he's she's let's don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't hasn't haven't hadn't dont doesnt didnt isnt arent cant couldnt wont wouldnt shouldnt whats hows wheres",
    doubtful: "",
    asking:
      "how what when where which who whom whose why i me my mine myself you your yours we us our ours it there can could may might must shall should will would do does did am please how's what's when's where's who's why's i'm i've you've we've don't doesn't didn't can't couldn't won't shouldn't dont doesnt didnt cant couldnt wont shouldnt whats hows wheres"
  },
  {
    certain:
      "wie warum wieso weshalb wozu wer wen wem wessen welche welcher welches welchen welchem wo woher wohin womit wofür wodurch wann ich du er wir ihr sie mich mir dich dir uns euch ihm ihn ihnen mein meine meinen meinem meiner dein deine deinen seine seinen seiner unser unsere unseren der das dem ein eine einen einem einer eines kein keine keinen und oder aber wenn ob weil damit dass daß auch noch nur schon ist sind waren wird werden wurde wurden habe hast haben hatte kann kannst können könnte muss muß müssen soll sollte sollen darf dürfen möchte gibt von vom zu zum zur bei beim nach aus auf für ohne um über unter durch im nicht sich denn doch dann dort hier etwas diese dieser dieses diesen diesem jede jeder jedes",
    doubtful: "was die den des war hat bin es mit man will am an in ins so da als",
    asking:
      "wie was warum wieso weshalb wozu wer wen wem wessen welche welcher welches welchen welchem wo woher wohin womit wofür wodurch wann ich du wir mich mir dich dir uns mein meine meinen meinem dein deine unser unsere kann kannst können könnte muss muß müssen soll sollte sollen darf dürfen möchte gibt man"
  },
  {
    certain:
      "qu'est-ce qu'est est-ce qu'est-ce-que que qui quoi quel quelle quels quelles quand où pourquoi combien lequel laquelle je tu il elle nous vous ils elles mon mes notre nos votre vos leur leurs la les un une des du au aux et ou mais donc ce cet cette ces cela ça c'est sont était être suis sommes avez avons ont j'ai peux peut pouvons pouvez peuvent puis-je peut-on dois-je dois doit faut faut-il ai-je a-t-il y-a-t-il dans avec sous chez vers ne lui d'un d'une l'on qu'il qu'on qu'une n'est s'il jusqu'à lorsque",
    doubtful: "comment a à ai as de en est le ma me on or par pas plus pour puis sa se ses si sur sans te y",
    asking:
      "comment qu'est-ce qu'est est-ce qu'est-ce-que quoi quel quelle quels quelles quand où pourquoi combien lequel laquelle je tu nous vous mon mes notre nos votre vos j'ai peux peut pouvons pouvez puis-je peut-on dois-je dois doit faut faut-il ai-je a-t-il y-a-t-il"
  },
  {
    certain:
      "cómo qué cuál cuáles cuándo dónde quién quiénes cuánto cuánta cuántos cuántas por porque que la los las un una unos unas yo tú él ella nosotros ellos ellas mis sus nuestro nuestra pero sino desde hasta sobre entre está están ser estar soy fue hay puedo puede pueden podemos debo debe deben tengo tiene este esta estos estas ese esa eso esto nos les",
    doubtful: "a al con de del el en era es ha han he le lo me mi no o para se si sin son su te y",
    asking:
      "cómo qué cuál cuáles cuándo dónde quién quiénes cuánto cuánta cuántos cuántas yo tú nosotros mi mis nuestro nuestra hay puedo puede pueden podemos debo debe deben tengo tiene"
  },
  {
    certain:
      "como que qual quais quando onde quem quanto quantos porque porquê por eu tu ele ela nós você vocês eles elas meu minha meus minhas seu sua seus suas os um uma uns umas na nas nos em ou mas até são está estão ser foi posso pode podemos podem devo deve tenho tem há não isto isso este esta esse essa ao aos pelo pela",
    doubtful: "a as com da das de do dos e no o para se sem",
    asking:
      "como que qual quais quando onde quem quanto quantos porquê eu tu nós você vocês meu minha meus minhas posso pode podemos podem devo deve tenho há"
  },
  {
    certain:
      "che chi quale quali quando dove perché quanto quanti io lui lei noi voi loro mio mia mie miei suo sua il la gli un uno una dello della dei degli delle allo alla agli alle dal dalla nel nella nei nelle sul sulla tra fra sono essere ho hanno posso può possiamo possono devo deve questo questa questi queste quello quella cos'è com'è dov'è c'è qual cosa",
    doubtful: "a ai al ci come con da del di e è ed era ha i in le lo ma mi non o per se si su ti vi",
    asking:
      "come cosa che chi quale quali quando dove perché quanto quanti io noi mio mia mie miei ho posso può possiamo possono devo deve cos'è com'è dov'è c'è qual"
  },
  {
    certain:
      "wat wie waar waarom wanneer welke welk ik jij je hij zij ze wij mijn jouw zijn haar ons onze hun het een maar als dat deze dit ben bent waren wordt worden heb hebt heeft hebben kan kun kunt kunnen moet moeten mag mogen zou voor naar bij uit aan niet geen ook",
    doubtful: "dan de die en er hoe in is met of om op te van was we wil zal",
    asking:
      "hoe wat wie waar waarom wanneer welke welk ik jij je wij we mijn jouw ons onze kan kun kunt kunnen moet moeten mag mogen zou"
  }
]

/** The form in which a written word is compared: folded, with one kind of apostrophe. */
const compared = (written: string): string => fold(written).replaceAll("’", "'")

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" ").filter(Boolean).map(compared))

const languages = LANGUAGES.map(({ asking, certain, doubtful }) => ({
  asking: setOf(asking),
  certain: setOf(certain),
  all: setOf(`${certain} ${doubtful}`)
}))

/**
 * The places of those words of a sentence that asks that hold it together; a title or a phrase has none. A language is spoken when a certain word of it stands there
 * and either two of its words do or none of those languages has more. What is written in capitals among small letters is a name.
 */
export const functionWordPlaces = (
  sentence: ReadonlyArray<string>,
  hasQuestionMark: boolean
): ReadonlySet<number> => {
  const isLoud = sentence.every((written) => written === written.toUpperCase())
  const words = sentence.map((written) =>
    !isLoud && written.length > 1 && written === written.toUpperCase() ? "" : compared(written)
  )
  const heard = languages
    .filter(({ certain }) => words.some((word) => certain.has(word)))
    .map(({ all, asking }) => ({ all, asking, count: words.filter((word) => all.has(word)).length }))
  const most = Math.max(...heard.map(({ count }) => count))
  const spoken = heard.filter(({ count }) => count > 1 || count === most)
  const isAsking = hasQuestionMark || spoken.some(({ asking }) => words.some((word) => asking.has(word)))
  if (!isAsking) return new Set()
  return new Set([...words.keys()].filter((place) => spoken.some(({ all }) => all.has(words[place] ?? ""))))
}
