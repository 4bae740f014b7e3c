// Words that hold a sentence together in seven languages: articles, pronouns, prepositions, auxiliaries, and the words that
// ask. A person who asks in whole sentences types them, and they say nothing of what is looked for. No verb, noun or adjective
// with a meaning of its own is among them, and in no language a word that changes what is looked for: without, before, after,
// between, only, every, `kein`, `sans` and their like. What makes a verb negative (not, nicht, ne pas) is among them. Which
// languages a question is in is told by its own words.
import { fold } from "../folding.ts"

/**
 * The words of one language. `certain` ones tell that it is spoken; `doubtful` ones are words of other languages, names or
 * abbreviations too (`die`, `comment`, `bin`, `nas`, `dir`), and tell half as much.
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
      "how what when where which who whom whose why i me my myself you your yours yourself he him his she her it its we our ours they them their theirs somebody someone something anybody anyone anything there here the a an this that these those and or but if because so than then of to in on at by for from with as into about is are was were be been being do does did have has had having could must shall should would not cannot some any such much many please also just too how's what's when's where's who's why's that's there's it's i'm i've i'd i'll you're you've you'd you'll we're we've we'd we'll they're they've he's she's let's don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't hasn't haven't hadn't dont doesnt didnt isnt arent cant couldnt wont wouldnt shouldnt whats hows wheres",
    doubtful: "can may might will us mine am",
    asking:
      "how what when where which who whom whose why i my myself you your yours we our ours can could may might must shall should will would do does did am please how's what's when's where's who's why's i'm i've you've we've don't doesn't didn't can't couldn't won't shouldn't dont doesnt didnt cant couldnt wont shouldnt whats hows wheres"
  },
  {
    certain:
      "wie was warum wieso weshalb wozu wen wessen welche welcher welches welchen welchem wo woher wohin womit wofür wodurch wann wir ihr sie mich dich uns euch ihn ihnen mein meine meinen meinem meiner dein deine deinen seine seinen seiner unser unsere unseren ein eine einen einem einer eines und oder aber wenn weil damit dass daß auch sind waren wird werden wurde wurden habe haben hatte kann kannst können könnte muss muß müssen soll sollte sollen darf dürfen möchte gibt von zu zur bei beim auf nicht sich denn doch dann dort hier etwas diese dieser dieses diesen diesem",
    doubtful:
      "die den des war hat bin es mit man will am an in ins so da als wer wem ich du er mir dir ihm der das dem ist ob vom zum für um über im hast",
    asking:
      "wie was warum wieso weshalb wozu wer wen wem wessen welche welcher welches welchen welchem wo woher wohin womit wofür wodurch wann ich du wir mein meine meinen meinem dein deine unser unsere kann kannst können könnte muss muß müssen soll sollte sollen darf dürfen möchte gibt man"
  },
  {
    certain:
      "qu'est-ce qu'est est-ce qu'est-ce-que que qui quoi quel quelle quels quelles quand pourquoi combien lequel laquelle je elle nous vous ils elles notre votre vos leur leurs la les un une mais donc cette cela c'est sont était être suis sommes avez avons j'ai peux peut pouvons pouvez peuvent puis-je peut-on dois-je dois doit faut faut-il ai-je a-t-il y-a-t-il dans avec chez lui d'un d'une l'on qu'il qu'on qu'une n'est s'il lorsque",
    doubtful:
      "comment a à ai as de en est le ma me on or par pas pour puis sa se ses si sur te y où tu il mon mes nos des du au aux et ou ce cet ces ça ont vers ne",
    asking:
      "comment qu'est-ce qu'est est-ce qu'est-ce-que quoi quel quelle quels quelles quand où pourquoi combien lequel laquelle je tu nous vous mon mes notre nos votre vos j'ai peux peut pouvons pouvez puis-je peut-on dois-je dois doit faut faut-il ai-je a-t-il y-a-t-il"
  },
  {
    certain:
      "cómo qué cuál cuáles cuándo dónde quién quiénes cuánto cuánta cuántos cuántas porque que la los un una unos unas ella nosotros ellos ellas nuestro nuestra pero desde sobre está están estar soy fue puedo puede pueden podemos debo debe deben tengo tiene este esta estos estas ese esa eso esto",
    doubtful:
      "a al con de del el en era es ha han he le lo me mi no o para se si son su te y por yo tú él mis sus sino ser hay nos les las",
    asking:
      "cómo qué cuál cuáles cuándo dónde quién quiénes cuánto cuánta cuántos cuántas yo tú nosotros mi mis nuestro nuestra hay puedo puede pueden podemos debo debe deben tengo tiene"
  },
  {
    certain:
      "como que quais quando onde quem quanto quantos porque porquê por você vocês eles elas minha meus minhas seu seus suas uns umas são está estão posso pode podemos podem devo deve tenho não isto este esta essa pelo pela",
    doubtful:
      "a as com da das de do dos e no o para se qual eu tu ele ela nós meu sua os um uma na nas nos em ou mas ser foi tem há isso esse ao aos",
    asking:
      "como que qual quais quando onde quem quanto quantos porquê eu tu nós você vocês meu minha meus minhas posso pode podemos podem devo deve tenho há"
  },
  {
    certain:
      "quale quali quando dove perché quanto quanti lui noi voi loro mie miei suo il la gli un una dello della dei degli delle allo agli alle dalla nella nei nelle sulla sono essere ho hanno posso può possiamo possono devo deve questo questa questi queste quello quella cos'è com'è dov'è c'è cosa",
    doubtful:
      "a ai al ci come con da del di e è ed era ha i in le lo ma mi non o per se si su ti vi che chi io lei mio mia sua uno alla dal nel sul qual",
    asking:
      "come cosa che chi quale quali quando dove perché quanto quanti io noi mio mia mie miei ho posso può possiamo possono devo deve cos'è com'è dov'è c'è qual"
  },
  {
    certain:
      "wie waar waarom wanneer welke welk jij hij zij wij mijn jouw zijn onze het een maar deze waren wordt worden hebt heeft hebben kun kunt kunnen moet moeten mogen zou voor naar niet ook",
    doubtful:
      "dan de die en er hoe in is met of om op te van was we wil zal wat ik je ze haar ons hun als dat dit ben bent heb kan mag bij aan",
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

type Words = (typeof languages)[number]

/** What two words tell, of which one is certain. */
const ENOUGH = 3
/** Names and keywords are typed in so few words, not sentences. */
const FEW_WORDS = 2

/** How much different words tell that a language is spoken: 2 for each that is certain and 1 for each that is doubtful. */
const told = ({ all, certain }: Words, words: Iterable<string>): number =>
  [...words].reduce((sum, word) => sum + (certain.has(word) ? 2 : Number(all.has(word))), 0)

/** The language of which the words tell the most, if that is enough, and each that has enough beside it, one certain word too. */
const spokenIn = (words: ReadonlySet<string>): ReadonlyArray<Words> => {
  const [strongest] = languages.toSorted((left, right) => told(right, words) - told(left, words))
  if (strongest === undefined || told(strongest, words) < ENOUGH) return []
  const others = [...words].filter((word) => !strongest.all.has(word))
  const isSpoken = (language: Words): boolean =>
    told(language, others) >= ENOUGH && others.some((word) => language.certain.has(word))
  return [strongest, ...languages.filter(isSpoken)]
}

/** How many words that ask make a sentence a question wherever they stand, and how many when they stand side by side. */
const SCATTERED_ASKING_WORDS = 3
const JOINED_ASKING_WORDS = 2

/**
 * True for a sentence that begins with a word that asks, or has several of them. One alone in the middle also stands in a
 * description: "show who is logged on".
 */
const asks = (asking: ReadonlySet<string>, words: ReadonlyArray<string>): boolean => {
  const places = [...words.keys()].filter((place) => asking.has(words[place]!))
  return (
    places[0] === 0 ||
    places.length >= SCATTERED_ASKING_WORDS ||
    places.some((place, at) => places[at + JOINED_ASKING_WORDS - 1] === place + JOINED_ASKING_WORDS - 1)
  )
}

/**
 * The places of those words of a sentence that asks that hold it together; a title or a phrase has none, nor has a question of one
 * word or two. What is written in capitals among small letters is a name. A word that is meant as it stands is given empty.
 */
export const functionWordPlaces = (
  sentence: ReadonlyArray<string>,
  hasQuestionMark: boolean
): ReadonlySet<number> => {
  if (sentence.length <= FEW_WORDS) return new Set()
  const isLoud = sentence.every((written) => written === written.toUpperCase())
  const words = sentence.map((written) =>
    !isLoud && written.length > 1 && written === written.toUpperCase() ? "" : compared(written)
  )
  const spoken = spokenIn(new Set(words))
  const isAsking = hasQuestionMark || spoken.some(({ asking }) => asks(asking, words))
  if (!isAsking) return new Set()
  return new Set([...words.keys()].filter((place) => spoken.some(({ all }) => all.has(words[place] ?? ""))))
}
