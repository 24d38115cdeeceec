import type { WindowFollower } from '../check';
import { folded, isFolded } from '../heuristics/normalize';

/**
 * Number of characters that are kept from the end of the text: more than the window of the check.
 */
const TAIL = 320;
/** Maximum length of a number in groups: an IBAN with a gap between all its characters. */
const GROUPS = 80;

/**
 * Matches in every finding: a digit, a mark of addresses and secrets, dashes of a key, or a long
 * word.
 */
const NEEDED = /[\d@!$%&*#^~+/]|-----|\S{15}/;
const GAP = /\s/;
const DIGIT = /\d/;
/** Marks between groups of a number. */
const MARKS = /^[.()/+-]+$/;
/**
 * A word that continues a number, as far as it has arrived: a group, or the one letter that some
 * numbers end with.
 */
const GOES_ON = /^(?:[.()/+-]*(?:\d|$)|\p{L}$)/u;
/** The end of a group that another may follow; departments of France have a letter. */
const GROUP_END = /(?:[\d.()/+-]|2[ABab])$/;
/** Matches the letters of a British national insurance number, which precede its digits. */
const PREFIX = /(?:^|[^A-Za-z0-9])[A-Z]{2}$/;
const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){0,30}[ -]?$/;
const PEM = /-----BEGIN(?: [A-Z ]{0,48}-{0,5})?$/;

/**
 * Follows a text that arrives in pieces. Most findings are words or parts of words, so only the
 * last word is open. Exceptions have gaps: numbers in groups (cards, phones, IBANs, national ids)
 * and the first line of a PEM block.
 */
export class PiiFollower implements WindowFollower {
  openFrom = 0;
  endsBy = 0;
  private arrived = 0;
  private tail = '';

  push(piece: string): void {
    const before = this.tail.slice(startOfWord(this.tail, this.tail.length));
    this.arrived += piece.length;
    if (NEEDED.test(before + piece) || isFolded(before + piece)) this.endsBy = this.arrived;
    this.tail = (this.tail + piece).slice(-TAIL);
    const { text, places } = folded(this.tail);
    const open = openIn(text);
    this.openFrom = this.arrived - this.tail.length + originalOf(open, places);
  }
}

const originalOf = (at: number, places: readonly number[] | null): number =>
  places === null ? at : (places[at] ?? (places.at(-1) ?? -1) + 1);

/** Returns the first position where a finding may be incomplete. */
function openIn(text: string): number {
  const end = text.slice(-GROUPS);
  const from = text.length - end.length;
  const open = [end.search(IBAN), end.search(PEM)].filter((at) => at >= 0).map((at) => from + at);
  return Math.min(...open, numberIn(text));
}

/** Returns the start of the last word, or of the groups of a number that it may belong to. */
function numberIn(text: string): number {
  let open = startOfWord(text, text.length);
  let word = text.slice(open);
  while (GOES_ON.test(word) && text.length - open < GROUPS) {
    const end = endBefore(text, open);
    const start = startOfWord(text, end);
    const before = text.slice(start, end);
    if (PREFIX.test(before)) return start;
    if (!isGroup(before)) return open;
    [open, word] = [start, before];
  }
  return open;
}

const isGroup = (word: string): boolean => MARKS.test(word) || (DIGIT.test(word) && GROUP_END.test(word));

function startOfWord(text: string, end: number): number {
  let at = end;
  while (at > 0 && !GAP.test(text[at - 1] ?? '')) at -= 1;
  return at;
}

function endBefore(text: string, start: number): number {
  let at = start;
  while (at > 0 && GAP.test(text[at - 1] ?? '')) at -= 1;
  return at;
}
