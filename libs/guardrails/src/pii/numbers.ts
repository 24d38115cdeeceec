import { isIbanChecksum, isLuhn } from './checksums';
import { byPattern, digitsOf, isIntroduced, isStandalone, type Recognizer } from './recognizer';

/** 13 to 19 digits, alone or in groups separated by one space or hyphen. */
const CARD = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])/g;
/**
 * First digits of the networks: Visa, Mastercard, Amex, Discover, Diners, JCB, UnionPay, Maestro,
 * Mir.
 */
const ISSUER =
  /^(?:4|5[0-8]|2(?:2[2-9]|[3-6]|7[01]|720)|220[0-4]|3[47]|3(?:0[0-5]|[689])|35|6(?:0|1|2|3|4|5|7|8|9))/;

/**
 * Finds payment card numbers. A run of groups may contain more than the card (`2 4111 1111 1111
 * 1111`), so sequences of whole groups are tested, the longest first.
 */
export const cards: Recognizer = (text, emit) => {
  for (const match of text.matchAll(CARD)) {
    const groups = groupsOf(match[0]);
    const found = cardIn(groups);
    if (found) emit(match.index + found.start, match.index + found.end);
  }
};

interface Group {
  readonly start: number;
  readonly end: number;
  readonly digits: string;
}

function groupsOf(run: string): readonly Group[] {
  return [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    start: index,
    end: index + digits.length,
    digits,
  }));
}

function cardIn(groups: readonly Group[]): { readonly start: number; readonly end: number } | null {
  for (let count = groups.length; count > 0; count--) {
    for (let first = 0; first + count <= groups.length; first++) {
      const part = groups.slice(first, first + count);
      if (!isCardGrouping(part)) continue;
      const digits = part.map((group) => group.digits).join('');
      const start = part[0]?.start ?? 0;
      if (isCard(digits)) return { start, end: part.at(-1)?.end ?? 0 };
    }
  }
  return null;
}

/**
 * Printed cards have groups of four, or 4-6-5 and 4-6-4; single digits separated by spaces are
 * lists of numbers.
 */
const isCardGrouping = (groups: readonly Group[]): boolean =>
  groups.length === 1 ||
  groups.every(({ digits }, index) => digits.length >= (index === groups.length - 1 ? 1 : 4));

const isCard = (digits: string): boolean =>
  digits.length >= 13 &&
  digits.length <= 19 &&
  ISSUER.test(digits) &&
  isLuhn(digits) &&
  !/^(\d)\1+$/.test(digits);

const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])/g;
/** Lengths of the IBAN registry, for countries that use IBANs. */
const IBAN_LENGTHS =
  'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20';

function ibanLength(country: string): number {
  for (let at = 0; at < IBAN_LENGTHS.length; at += 4) {
    if (IBAN_LENGTHS.startsWith(country, at)) return Number(IBAN_LENGTHS.slice(at + 2, at + 4));
  }
  return 0;
}

/**
 * Finds IBANs. Words after a number look like a part of it (`… 3000 by Friday`), so the country's
 * length determines its end.
 */
export const ibans: Recognizer = (text, emit) => {
  for (const match of text.matchAll(IBAN)) {
    const run = match[0];
    const length = ibanLength(run.slice(0, 2).toUpperCase());
    let end = 0;
    let compact = '';
    while (end < run.length && compact.length < length) {
      const char = run[end++] ?? '';
      if (char !== ' ' && char !== '-') compact += char.toUpperCase();
    }
    const isWhole = !/[A-Za-z0-9]/.test(text[match.index + end] ?? ' ');
    if (length > 0 && compact.length === length && isWhole && isIbanChecksum(compact))
      emit(match.index, match.index + end);
  }
};

const PHONE = /(?<![\p{L}\d.:/@#_-])(?:\+|00)?\(?\d(?:[ .()/-]{0,2}\d){6,15}(?![\d\p{L}_]|[.:/-]\d)/gu;
const PHONE_WORDS =
  /(?:phone|tel|mobile|cell|call|fax|whatsapp|sms|ring|dial|handy|telefon|rufnummer|anruf|ruf|nummer|tél|téléphone|portable|appel|móvil|llam|teléfono|número|cellulare|chiam|numero|bel|mobiel|komórk|zadzwo)[^\n]{0,24}$/i;

/**
 * Finds phone numbers: those in international or North American form, national ones that start with
 * 0 or a bracket and are grouped, and any after a word that announces one.
 */
export const phones: Recognizer = byPattern(PHONE, (match, text, start) => {
  const digits = digitsOf(match);
  if (digits.length < 7 || digits.length > 15) return false;
  if (/^\d{4}-\d{2}-\d{2}$/.test(match) || /^\d{1,2}[./]\d{1,2}[./]\d{2,4}/.test(match)) return false;
  if (match.startsWith('+')) return digits.length >= 8;
  if (match.startsWith('00')) return digits.length >= 10;
  const groups = match.split(/[ .()/-]+/).filter(Boolean);
  if (/^\(?[2-9]\d{2}\)?[ .-]?[2-9]\d{2}[ .-]\d{4}$/.test(match)) return true;
  if ((match.startsWith('0') || match.startsWith('(')) && groups.length >= 2 && digits.length >= 9)
    return true;
  return isIntroduced(text, start, PHONE_WORDS);
});

const SSN = /(?<![\d-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])/g;
const SSN_BARE = /(?<!\d)(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}(?!\d)/g;

/** US social security numbers that are grouped or announced. */
export const socialSecurityNumbers: Recognizer = (text, emit) => {
  byPattern(SSN, () => true)(text, emit);
  byPattern(SSN_BARE, (match, whole, start) => {
    return (
      isStandalone(whole, start, start + match.length) &&
      isIntroduced(whole, start, /(?:ssn|social security)/i)
    );
  })(text, emit);
};
