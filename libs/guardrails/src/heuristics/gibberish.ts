const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop', '1234567890'];
const ROWS = KEYBOARD.flatMap((row) => [row, [...row].reverse().join('')]);
/** Maximum number of characters that are read, from the start of the text. */
export const READ_LENGTH = 8_000;

/**
 * Returns the share of a text's characters, 0 to 1, in words that exist in no language written in
 * Latin letters. Such a word has no vowel, six consonants or five vowels in a row, a character four
 * times in a row, a repeated part, many rare pairs of letters, four adjacent keys of a keyboard
 * row, alternating letters and digits, or more than 80 characters. The fifth and later of equal
 * words in a row count as well. Words in capitals or with fewer than four characters count only if
 * they contain a character five times in a row. Numbers, other scripts, URLs, email addresses and
 * fenced code are excluded.
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
  if (ODD.some((pattern) => pattern.test(lower)) || hasAdjacentKeys(lower)) return true;
  if (/\d/.test(lower)) return (lower.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0) >= 3;
  return lower.length >= 6 && rareShare(lower) > 0.4;
}

/**
 * Adjacent keys that occur in words such as liberty, Wert, hertz, concert (Konzert), fazer, strew,
 * montrez and reza.
 */
const IN_REAL_WORDS = new Set(['erty', 'wert', 'ertz', 'zert', 'azer', 'trew', 'trez', 'reza']);

/**
 * Whether a word of at most eight characters contains four adjacent keys of a keyboard row, or five
 * where the four occur in real words.
 */
function hasAdjacentKeys(lower: string): boolean {
  if (lower.length > 8) return false;
  for (let start = 0; start + 4 <= lower.length; start++) {
    const keys = lower.slice(start, start + (IN_REAL_WORDS.has(lower.slice(start, start + 4)) ? 5 : 4));
    if (!IN_REAL_WORDS.has(keys) && ROWS.some((row) => row.includes(keys))) return true;
  }
  return false;
}

/** Pairs of letters that are rare in languages written in Latin letters. */
const RARE =
  /(?=(?:[bcdfgjkmpqvwxz]q|q[^u]|[bcdfgjkpvz]x|x[bdgjkmrvz]|[bcdfghjklmpqrtvwxz]j|j[bcdfghjklmnpqrstvwxz]|v[bcdfgkmpqtwx]|z[bcdfgjmnpqrx]|[fgqvwx]k|k[cdfgmpqxz]|w[bcfgjmpqvxz]|[dghkmvx]f|f[bdghjkmpqvwxz]|[fhgjkpvx]g|g[bcdfkpqvxz]|h[bcdfgjkpqvxz]|[fgjkqvxz]d|p[bcdgjkmqvxz]|[jqvxz]p|[gjkmvxz]b|b[cfgkmpqwz]))/g;

const rareShare = (lower: string): number => (lower.match(RARE)?.length ?? 0) / (lower.length - 1);
