import type { WindowFollower } from '../check';

/** Sorts words as `WordFollower` requires. */
export const sortedWords = (words: readonly string[], caseSensitive: boolean): readonly string[] =>
  [...new Set(words.map((word) => (caseSensitive ? word : plainSigma(word))))].sort();

/**
 * Follows a text that arrives in pieces: a word is open when the text ends with the start of the
 * word.
 */
export class WordFollower implements WindowFollower {
  openFrom = 0;
  endsBy = 0;
  /** The end of the text in which a word may have started. */
  private tail = '';

  constructor(
    /** Sorted by code units; in lower case unless case matters. */
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
    // Positions in the folded text differ from those in the original.
    if (folded.length !== tail.length) return 0;
    let at = 0;
    while (at < folded.length && !this.isWordStart(folded.slice(at))) at += 1;
    return at;
  }

  /**
   * Returns whether a word starts with the text, by binary search: if any word does, the first word
   * that is not sorted before the text does.
   */
  private isWordStart(text: string): boolean {
    let [from, to] = [0, this.words.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.words[middle] as string) < text) from = middle + 1;
      else to = middle;
    }
    return this.words[from]?.startsWith(text) === true;
  }
}

/** Sigma has another form at the end of a word, and the end of a word may not have arrived yet. */
const plainSigma = (lower: string): string => lower.replaceAll('ς', 'σ');
