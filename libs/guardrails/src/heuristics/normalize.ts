/** Characters that are not seen and only break words apart: zero widths, joiners, direction marks, soft hyphens, tags. */
const UNSEEN =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e007f}]/gu;
const NOT_ASCII = /[^\x00-\x7f]/;

/** Digits, letters and marks of full width, which stand for those of ASCII at a fixed distance. */
const WIDE_FIRST = 0xff01;
const WIDE_LAST = 0xff5e;
const WIDE_DISTANCE = WIDE_FIRST - 0x21;
const FOLDED_OR_UNSEEN =
  /[\uff01-\uff5e\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e007f}]/u;
const isUnseen = (char: string): boolean => char.replaceAll(UNSEEN, '') === '';

/** Whether `folded` makes another text of it. */
export const isFolded = (text: string): boolean => FOLDED_OR_UNSEEN.test(text);

export interface FoldedText {
  readonly text: string;
  /** Where each character of `text` is in the original. Null: they are the same text. */
  readonly places: readonly number[] | null;
}

/** A text without unseen characters and with ASCII for full width, and where each of its characters comes from. */
export function folded(text: string): FoldedText {
  if (!isFolded(text)) return { text, places: null };
  let result = '';
  const places: number[] = [];
  let at = 0;
  for (const char of text) {
    const code = char.charCodeAt(0);
    const kept = code >= WIDE_FIRST && code <= WIDE_LAST ? String.fromCharCode(code - WIDE_DISTANCE) : char;
    if (!isUnseen(char)) {
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

/** A text as a reader sees it: one form of each letter, lower case, without accents and unseen characters, single spaces. */
export function seen(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase().replaceAll(/\s+/g, ' ');
  return text
    .normalize('NFKC')
    .replaceAll(UNSEEN, '')
    .toLowerCase()
    .replaceAll(/[\u0370-\u052f]/g, (char) => LOOKALIKES[char] ?? char)
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/\s+/g, ' ');
}

/** Hidden instructions are written in tag characters, which no reader sees. */
export const hasTagCharacters = (text: string): boolean => /[\u{e0020}-\u{e007e}]{3}/u.test(text);
