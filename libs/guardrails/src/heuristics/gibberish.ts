const KEYBOARD = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'azertyuiop', '1234567890'];
const ROWS = KEYBOARD.flatMap((row) => [row, [...row].reverse().join('')]);
const VOWELS = /[aeiouyà-æè-ïò-öù-üœ]/;
/** Characters that are looked at; a text that makes no sense does so from its beginning. */
const LOOKED_AT = 8_000;

/**
 * Share of a text's letters, 0 to 1, in words that no language in Latin letters has: no vowels, long runs of consonants, rows of
 * the keyboard, the same letters over and over, letters and digits mixed. Other scripts, addresses and fenced code are left out.
 */
export function gibberishShare(text: string): number {
  const prose = text
    .slice(0, LOOKED_AT)
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/https?:\/\/\S+|\S+@\S+/g, ' ');
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

function isOdd(word: string, lower: string): boolean {
  if (lower.length < 4 || word === word.toUpperCase()) return /(.)\1{4,}/.test(lower);
  if (!VOWELS.test(lower)) return true;
  if (/[bcdfghjklmnpqrstvwxz]{6,}/.test(lower) || /(.)\1{3,}/.test(lower)) return true;
  if (/[aeiou]{5,}/.test(lower) || /^(.{1,3})\1{3,}$/.test(lower)) return true;
  if (onRow(lower)) return true;
  if (/\d/.test(lower)) return (lower.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0) >= 3;
  return lower.length >= 6 && rareShare(lower) > 0.4;
}

/** Four letters in a row on the keyboard that make up most of the word. */
function onRow(lower: string): boolean {
  for (let start = 0; start + 4 <= lower.length; start++) {
    const part = lower.slice(start, start + 4);
    if (
      part !== 'rewq' &&
      ROWS.some((row) => row.includes(part)) &&
      lower.length <= 8 &&
      !lower.startsWith('propert')
    ) {
      return true;
    }
  }
  return false;
}

/** Pairs of letters that hardly stand together in languages written in Latin letters. */
const RARE =
  /(?=(?:[bcdfgjkmpqvwxz]q|q[^u]|[bcdfgjkpvz]x|x[bdgjkmrvz]|[bcdfghjklmpqrtvwxz]j|j[bcdfghjklmnpqrstvwxz]|v[bcdfgkmpqtwx]|z[bcdfgjmnpqrx]|[fgqvwx]k|k[cdfgmpqxz]|w[bcfgjmpqvxz]|[dghkmvx]f|f[bdghjkmpqvwxz]|[fhgjkpvx]g|g[bcdfkpqvxz]|h[bcdfgjkpqvxz]|[fgjkqvxz]d|p[bcdgjkmqvxz]|[jqvxz]p|[gjkmvxz]b|b[cfgkmpqwz]))/g;

const rareShare = (lower: string): number => (lower.match(RARE)?.length ?? 0) / (lower.length - 1);
