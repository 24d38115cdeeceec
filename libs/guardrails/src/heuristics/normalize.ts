/** Characters that are not seen and only break words apart: zero widths, joiners, direction marks, soft hyphens, tags. */
const UNSEEN =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e007f}]/gu;
const NOT_ASCII = /[^\x00-\x7f]/;

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
