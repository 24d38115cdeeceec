const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop', '1234567890'];
const ROWS = KEYBOARD.flatMap((row) => [row, [...row].reverse().join('')]);
/** Characters that are read; a nonsense text is nonsense from its start. */
export const READ_LENGTH = 8_000;

/**
 * Returns the share of a text's letters, 0 to 1, in words that exist in no language written in
 * Latin letters: no vowels, long runs of consonants, keyboard rows, repeated letters, mixed letters
 * and digits. Other scripts, URLs and fenced code are excluded.
 */
export function gibberishShare(text: string): number {
  const prose = text
    .slice(0, READ_LENGTH)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/https?:\/\/\S{1,500}|\S{1,64}@\S{1,64}/g, ' ');
  let letters = 0;
  let odd = 0;
  let previous = '';
  let repeats = 0;
  for (const [word] of prose.matchAll(/[\p{Script=Latin}\p{M}\d]+/gu)) {
    if (!/\p{L}/u.test(word)) continue;
    letters += word.length;
    const lower = word.toLowerCase();
    repeats = lower === previous ? repeats + 1 : 0;
    previous = lower;
    if (isOdd(word, lower) || repeats >= 4) odd += word.length;
  }
  return letters === 0 ? 0 : odd / letters;
}

/** Patterns of a word with four letters or more that is not a real word. */
const ODD: readonly RegExp[] = [
  /^[^aeiouyà-æè-ïò-öù-üœ]+$/,
  /[bcdfghjklmnpqrstvwxz]{6,}/,
  /(.)\1{3,}/,
  /[aeiou]{5,}/,
  /^(.{1,3})\1{3,}$/,
];
const WORD_LENGTH_MAX = 80;

function isOdd(word: string, lower: string): boolean {
  if (lower.length > WORD_LENGTH_MAX) return true;
  if (lower.length < 4 || word === word.toUpperCase()) return /(.)\1{4,}/.test(lower);
  if (ODD.some((pattern) => pattern.test(lower)) || onRow(lower)) return true;
  if (/\d/.test(lower)) return (lower.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0) >= 3;
  return lower.length >= 6 && rareShare(lower) > 0.4;
}

/** Real words with four letters from one keyboard row. */
const ON_ROW = /^(?:property|proper|propert|power|were|tree|trees)/;

/** Whether four letters from one keyboard row make up most of the word. */
function onRow(lower: string): boolean {
  if (lower.length > 8 || ON_ROW.test(lower)) return false;
  for (let start = 0; start + 4 <= lower.length; start++) {
    const part = lower.slice(start, start + 4);
    if (ROWS.some((row) => row.includes(part))) return true;
  }
  return false;
}

/** Pairs of letters that are rare in languages written in Latin letters. */
const RARE =
  /(?=(?:[bcdfgjkmpqvwxz]q|q[^u]|[bcdfgjkpvz]x|x[bdgjkmrvz]|[bcdfghjklmpqrtvwxz]j|j[bcdfghjklmnpqrstvwxz]|v[bcdfgkmpqtwx]|z[bcdfgjmnpqrx]|[fgqvwx]k|k[cdfgmpqxz]|w[bcfgjmpqvxz]|[dghkmvx]f|f[bdghjkmpqvwxz]|[fhgjkpvx]g|g[bcdfkpqvxz]|h[bcdfgjkpqvxz]|[fgjkqvxz]d|p[bcdgjkmqvxz]|[jqvxz]p|[gjkmvxz]b|b[cfgkmpqwz]))/g;

const rareShare = (lower: string): number => (lower.match(RARE)?.length ?? 0) / (lower.length - 1);
