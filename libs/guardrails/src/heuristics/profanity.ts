import { visibleForm } from './normalize';

/** Word stems in five languages, without accents. `*` matches any ending. */
const STEMS: Readonly<Record<string, string>> = {
  en: 'fuck* motherfuck* shit* bullshit* bitch* asshole* arsehole* bastard* cunt* dickhead* cock cocks cocksucker* pussy pussies whore* slut* wanker* twat* prick pricks douchebag* jackass* dumbass* goddamn* piss pissed',
  de: 'scheiss* arschloch* arschlocher* fick ficken fickt gefickt wichser* hurensohn* hure huren fotze* schlampe* missgeburt* verpiss* drecksau* schwuchtel*',
  fr: 'merde* putain* connard* connasse* salope* encule* enculer pute putes batard* bordel nique niquer ntm fdp foutre branleur*',
  es: 'mierda* puta putas puto putos cabron* gilipollas joder jodid* coño cono pendejo* pendeja* chinga* verga maricon* hijueputa* culero*',
  it: 'cazzo* vaffanculo stronzo stronza stronzi stronze puttana* merda merde coglione* coglioni troia bastardo figlio di puttana incula* minchia',
};

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

export const PROFANITY_LANGUAGES: readonly string[] = Object.keys(STEMS);

/**
 * Finds listed words, also when spelled with digits and marks for letters, or with repeated
 * letters.
 */
export class Profanity {
  private readonly whole = new Set<string>();
  /** Stems by their first two letters. */
  private readonly stems = new Map<string, string[]>();

  constructor(languages: readonly string[], more: readonly string[]) {
    const listed = languages.flatMap((language) => (STEMS[language] ?? '').split(' '));
    for (const entry of [...listed, ...more.map((word) => visibleForm(word))]) {
      if (entry === '') continue;
      if (entry.endsWith('*')) {
        const start = entry.slice(0, 2);
        this.stems.set(start, [...(this.stems.get(start) ?? []), entry.slice(0, -1)]);
      } else this.whole.add(entry);
    }
  }

  /** Counts the occurrences of listed words in a text. */
  count(text: string): number {
    let count = 0;
    for (const [word] of visibleForm(text).matchAll(/[\p{L}\p{N}@$!*]+/gu)) if (this.isListed(word)) count++;
    return count;
  }

  private isListed(word: string): boolean {
    if (this.holds(word)) return true;
    if (/[\d@$!]/.test(word) && this.holds(plain(word))) return true;
    return /(.)\1\1/.test(word) && this.holds(single(plain(word)));
  }

  private holds(word: string): boolean {
    if (this.whole.has(word)) return true;
    return this.stems.get(word.slice(0, 2))?.some((stem) => word.startsWith(stem)) === true;
  }
}

const plain = (word: string): string => word.replaceAll(/[013457@$!]/g, (char) => LEET[char] ?? char);
/** Reduces three or more equal letters in a row to one, as in `fuuuuck`. */
const single = (word: string): string => word.replaceAll(/(.)\1{2,}/gu, '$1');
