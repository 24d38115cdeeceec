import type { WindowFollower } from '../check';

/** Words as `WordFollower` wants them. */
export const sortedWords = (words: readonly string[], caseSensitive: boolean): readonly string[] =>
  [...new Set(words.map((word) => (caseSensitive ? word : plainSigma(word))))].sort();

/** Follows a text that comes in pieces: a word is open where the end of the text is its beginning. */
export class WordFollower implements WindowFollower {
  openFrom = 0;
  endsBy = 0;
  /** What a word could begin in. */
  private tail = '';

  constructor(
    /** In the order of their code units; in lower case unless case counts. */
    private readonly words: readonly string[],
    private readonly longest: number,
    private readonly caseSensitive: boolean,
  ) {}

  push(piece: string): void {
    const text = this.tail + piece;
    this.endsBy += piece.length;
    this.tail = text.slice(Math.max(0, text.length - this.longest + 1));
    this.openFrom = this.endsBy - this.tail.length + this.openIn(this.tail);
  }

  private openIn(tail: string): number {
    const folded = this.caseSensitive ? tail : plainSigma(tail.toLowerCase());
    // Places in the folded text are other ones.
    if (folded.length !== tail.length) return 0;
    let at = 0;
    while (at < folded.length && !this.begins(folded.slice(at))) at += 1;
    return at;
  }

  /** By halves: the first word that is not before the text begins with it, or none does. */
  private begins(text: string): boolean {
    let [from, to] = [0, this.words.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.words[middle] as string) < text) from = middle + 1;
      else to = middle;
    }
    return this.words[from]?.startsWith(text) === true;
  }
}

/** At the end of a word the letter has another form, and it is not known yet where a word ends. */
const plainSigma = (lower: string): string => lower.replaceAll('ς', 'σ');
