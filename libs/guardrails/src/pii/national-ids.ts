import { isVerhoeff, modulo, weighted } from './checksums';
import { byPattern, digitsOf, isIntroduced, type Recognizer } from './recognizer';

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** Spain: number and control letter. Foreigners' numbers start with X, Y or Z for 0, 1 and 2. */
const spain = byPattern(/(?<![A-Za-z0-9])(?:\d{8}|[XYZxyz]-?\d{7})[ -]?[A-Za-z](?![A-Za-z0-9])/g, (match) => {
  const compact = match.replaceAll(/[ -]/g, '').toUpperCase();
  const number = compact.slice(0, -1).replace('X', '0').replace('Y', '1').replace('Z', '2');
  return DNI_LETTERS[Number(number) % 23] === compact.at(-1);
});

const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italy: the sixteenth character is computed from the others. */
const italy = byPattern(
  /(?<![A-Za-z0-9])[A-Za-z]{6}\d{2}[A-EHLMPRSTa-ehlmprst]\d{2}[A-Za-z]\d{3}[A-Za-z](?![A-Za-z0-9])/g,
  (match) => {
    const code = match.toUpperCase();
    let sum = 0;
    for (let index = 0; index < 15; index++) {
      const char = code.charCodeAt(index);
      const value = char > 57 ? char - 65 : char - 48;
      sum += index % 2 === 0 ? (ODD[value] ?? 0) : value;
    }
    return code.charCodeAt(15) - 65 === sum % 26;
  },
);

/** France: thirteen digits, in which a department may be 2A or 2B, and a key. */
const france = byPattern(
  /(?<!\d)[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[ABab]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/g,
  (match) => {
    const compact = match.replaceAll(' ', '').toUpperCase().replace('2A', '19').replace('2B', '18');
    return modulo(compact.slice(0, 13), 97) + Number(compact.slice(13)) === 97;
  },
);

const britain = byPattern(
  /(?<![A-Za-z0-9])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Za-z0-9])/g,
  () => true,
);

/**
 * Germany: eleven digits, the last of which is computed from the others. A preceding word is
 * required, because one number in ten is valid.
 */
const germany = byPattern(/(?<!\d)[1-9]\d ?\d{3} ?\d{3} ?\d{3}(?!\d)/g, (match, text, start) => {
  const digits = digitsOf(match);
  let product = 10;
  for (let index = 0; index < 10; index++) {
    const sum = (Number(digits[index]) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  const check = (11 - product) % 10;
  return (
    check === Number(digits[10]) &&
    isIntroduced(text, start, /(?:steuer|idnr|id-nr|identifikationsnummer|tax)/i)
  );
});

const netherlands = byPattern(/(?<!\d)\d{9}(?!\d)/g, (match, text, start) => {
  const sum = weighted(match, [9, 8, 7, 6, 5, 4, 3, 2, -1]);
  return sum % 11 === 0 && isIntroduced(text, start, /(?:bsn|burgerservice|sofi)/i);
});

const poland = byPattern(/(?<!\d)\d{11}(?!\d)/g, (match, text, start) => {
  const sum = weighted(match, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]);
  return sum % 10 === 0 && isIntroduced(text, start, /pesel/i);
});

/** Brazil: two control digits. Without points and hyphen a preceding word is required. */
const brazil = byPattern(/(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)/g, (match, text, start) => {
  const digits = digitsOf(match);
  if (/^(\d)\1+$/.test(digits)) return false;
  const control = (length: number) => {
    let sum = 0;
    for (let index = 0; index < length; index++) sum += (length + 1 - index) * Number(digits[index]);
    return ((sum * 10) % 11) % 10;
  };
  const isRight = control(9) === Number(digits[9]) && control(10) === Number(digits[10]);
  return isRight && (match.includes('.') || isIntroduced(text, start, /cpf/i));
});

const india = byPattern(/(?<!\d)[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}(?!\d|[ -]\d)/g, (match, text, start) => {
  const isGrouped = /[ -]/.test(match);
  return isVerhoeff(digitsOf(match)) && (isGrouped || isIntroduced(text, start, /(?:aadhaar|uidai)/i));
});

const china = byPattern(
  /(?<![\dA-Za-z])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\dA-Za-z])/g,
  (match) => {
    const sum = weighted(match, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    return '10X98765432'[sum % 11] === match.at(-1)?.toUpperCase();
  },
);

const RECOGNIZERS: readonly Recognizer[] = [
  spain,
  italy,
  france,
  britain,
  germany,
  netherlands,
  poland,
  brazil,
  india,
  china,
];

/**
 * National identification numbers that a control digit or a preceding word distinguishes from other
 * numbers.
 */
export const nationalIds: Recognizer = (text, emit) => {
  for (const recognize of RECOGNIZERS) recognize(text, emit);
};
