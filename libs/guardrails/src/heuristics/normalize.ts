/**
 * Invisible characters that only break words apart: zero widths, joiners, direction marks, soft
 * hyphens, tags.
 */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e007f}]/gu;
const NOT_ASCII = /[^\x00-\x7f]/;

/** Full-width characters, which have a fixed offset from ASCII. */
const WIDE_FIRST = 0xff01;
const WIDE_LAST = 0xff5e;
const WIDE_DISTANCE = WIDE_FIRST - 0x21;
const FOLDED_OR_INVISIBLE =
  /[\uff01-\uff5e\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e007f}]/u;
const isInvisible = (char: string): boolean => char.replaceAll(INVISIBLE, '') === '';

/** Returns whether `folded` would change the text. */
export const isFolded = (text: string): boolean => FOLDED_OR_INVISIBLE.test(text);

export interface FoldedText {
  readonly text: string;
  /** Position of each character of `text` in the original; null when both texts are equal. */
  readonly places: readonly number[] | null;
}

/**
 * Removes invisible characters and converts full-width characters to ASCII, and returns the
 * original position of each character.
 */
export function folded(text: string): FoldedText {
  if (!isFolded(text)) return { text, places: null };
  let result = '';
  const places: number[] = [];
  let at = 0;
  for (const char of text) {
    const code = char.charCodeAt(0);
    const kept = code >= WIDE_FIRST && code <= WIDE_LAST ? String.fromCharCode(code - WIDE_DISTANCE) : char;
    if (!isInvisible(char)) {
      for (let unit = 0; unit < kept.length; unit++) places.push(at + unit);
      result += kept;
    }
    at += char.length;
  }
  return { text: result, places };
}

/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [...'аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwεeοoαaιiκkνvτtρp'.matchAll(/(.)(.)/gu)].map(([, from = '', to = '']) => [
    from,
    to,
  ]),
);

/**
 * Returns a text as a reader sees it: one form per letter, lower case, without accents and
 * invisible characters, with single spaces.
 */
export function visibleForm(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase().replaceAll(/\s+/g, ' ');
  return text
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '')
    .toLowerCase()
    .replaceAll(/[\u0370-\u052f]/g, (char) => LOOKALIKES[char] ?? char)
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/\s+/g, ' ');
}

/**
 * Returns whether the text has tag characters, which are invisible and used for hidden
 * instructions.
 */
export const hasTagCharacters = (text: string): boolean => /[\u{e0020}-\u{e007e}]{3}/u.test(text);
