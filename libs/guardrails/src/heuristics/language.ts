/** Languages that are identified by their script alone. */
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['ja', /[\u3040-\u30ff]/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['th', /\p{Script=Thai}/gu],
];

/** Frequent short words of languages written in Latin letters. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to in is you that it he was for on are as with his they at be this have from or had by but what some we can out other were all there when up use your how said an each she which do their if will would about into has more not my me please could should does did been who why where',
  de: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man ich du wir ihr mein bitte kann warum was wenn',
  fr: 'le la les de des et à en un une du que est pour qui dans par plus pas au sur ne se ce il sont avec mais comme ou si leur y dont elle nous vous ils cette être fait aux je tu mon ma mes ton sa ses son où quand pourquoi bonjour merci',
  es: 'el la los las de que y a en un una ser se no haber por con su para como estar tener le lo todo pero más hacer o poder decir este ir otro ese si me ya ver porque dar cuando él muy sin vez mucho saber qué sobre mi alguno mismo yo también hasta es son del al está hola gracias',
  it: 'il lo la gli le di che e a un una in per è con non si da sono come del della dei delle nel alla ma anche più mi ci questo questa quello io tu lui lei noi voi loro essere ha ho hanno fare perché cosa quando dove grazie',
  pt: 'o a os as de que e do da em um uma para é com não se na no por mais dos das como mas foi ao ele tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos você obrigado',
  nl: 'de het een en van in is dat op te zijn met voor niet aan er om hij ook als bij maar dan nog naar ze uit door over zo wordt je ik wij jullie mijn hebben heeft wat wanneer waarom kan bedankt deze dit',
  pl: 'i w na z do nie się że to jest jak o a po co tak za ale od czy przez dla już tym są był była być może tylko ich jego jej ma ten ta te który która proszę dziękuję dlaczego kiedy gdzie',
  sv: 'och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när nu eller också du min varför vad tack detta',
  tr: 've bir bu da de için ile ne o çok ben sen biz mi mı var daha gibi kadar ama değil olarak olan sonra her nasıl neden teşekkürler',
};

const MEMBERS: ReadonlyMap<string, readonly string[]> = membersOf(WORDS);

function membersOf(lists: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const members = new Map<string, string[]>();
  for (const [language, list] of Object.entries(lists)) {
    for (const word of list.split(' ')) members.set(word, [...(members.get(word) ?? []), language]);
  }
  return members;
}

export const LANGUAGES: readonly string[] = [...Object.keys(WORDS), ...SCRIPTS.map(([language]) => language)];
/** Maximum number of characters that are read; far fewer are enough to identify a language. */
export const READ_LENGTH = 4_000;

/** Returns the ISO 639-1 code of a text's main language; null when there is too little evidence. */
export function languageOf(text: string): string | null {
  const sample = text.slice(0, READ_LENGTH);
  return languageOfScript(sample) ?? languageOfWords(sample);
}

function languageOfScript(sample: string): string | null {
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const found = SCRIPTS.find(([language, pattern]) => {
    // Japanese mixes its own letters with Chinese ones.
    const enough = language === 'ja' ? 0.1 : 0.5;
    return letters > 1 && (pattern[Symbol.match](sample)?.length ?? 0) / letters > enough;
  });
  return found?.[0] ?? null;
}

function languageOfWords(sample: string): string | null {
  const scores = new Map<string, number>();
  let words = 0;
  for (const [word] of sample.toLowerCase().matchAll(/\p{L}+/gu)) {
    words++;
    const languages = MEMBERS.get(word) ?? [];
    // A word shared by many languages is weaker evidence for each.
    for (const each of languages) scores.set(each, (scores.get(each) ?? 0) + 1 / languages.length);
  }
  const [best, second] = [...scores].sort(([, a], [, b]) => b - a);
  if (!best || words < 3) return null;
  return best[1] / words >= 0.08 && best[1] > (second?.[1] ?? 0) ? best[0] : null;
}
