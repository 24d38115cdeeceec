import type { WindowFollower } from '../check';
import { folded, isFolded } from '../heuristics/normalize';

/** Characters that are looked back on: more than the window of the check. */
const TAIL = 320;
/** Longer than a number in groups: an IBAN with a gap between all of its characters. */
const GROUPS = 80;

/** Every finding has one of these: a digit, a mark of addresses and secrets, dashes of a key, or a long word. */
const NEEDED = /[\d@!$%&*#^~+/]|-----|\S{15}/;
const GAP = /\s/;
const DIGIT = /\d/;
/** Between groups of a number. */
const MARKS = /^[.()/+-]+$/;
/** A word with which a number goes on, as far as it has come: a group, or the one letter that some end with. */
const GOES_ON = /^(?:[.()/+-]*(?:\d|$)|\p{L}$)/u;
/** After a group that may be followed by another; departments of France have a letter. */
const GROUP_END = /(?:[\d.()/+-]|2[ABab])$/;
/** Letters before the number of a British insurance. */
const PREFIX = /(?:^|[^A-Za-z0-9])[A-Z]{2}$/;
const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){0,30}[ -]?$/;
const PEM = /-----BEGIN(?: [A-Z ]{0,48}-{0,5})?$/;

/**
 * Follows a text that comes in pieces. Findings are words or parts of one, so that the last word is open; but for numbers in groups
 * (cards, telephones, IBANs, numbers of states) and the first line of a PEM block, which have gaps.
 */
export class PiiFollower implements WindowFollower {
  openFrom = 0;
  endsBy = 0;
  private came = 0;
  private tail = '';

  push(piece: string): void {
    const before = this.tail.slice(startOfWord(this.tail, this.tail.length));
    this.came += piece.length;
    if (NEEDED.test(before + piece) || isFolded(before + piece)) this.endsBy = this.came;
    this.tail = (this.tail + piece).slice(-TAIL);
    const { text, places } = folded(this.tail);
    const open = openIn(text);
    this.openFrom = this.came - this.tail.length + originalOf(open, places);
  }
}

const originalOf = (at: number, places: readonly number[] | null): number =>
  places === null ? at : (places[at] ?? (places.at(-1) ?? -1) + 1);

function openIn(text: string): number {
  const end = text.slice(-GROUPS);
  const from = text.length - end.length;
  const open = [end.search(IBAN), end.search(PEM)].filter((at) => at >= 0).map((at) => from + at);
  return Math.min(...open, numberIn(text));
}

/** Where the last word begins, or the groups of a number that it may belong to. */
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
