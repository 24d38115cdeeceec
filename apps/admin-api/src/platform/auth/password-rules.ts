import { invalid } from '@gw/web';
import { COMMON_PASSWORDS, COMMON_WORDS } from './common-passwords';

export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 1_024;

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};
const PRODUCT = ['tollgate', 'gateway'];
/** Minimum length of a part of the email address to search for; shorter parts match by chance. */
const PART_MIN = 4;
/** Minimum number of characters that must remain when such parts are removed from the password. */
const LEFT_MIN = 8;

const withoutLeet = (text: string): string => text.replaceAll(/[013457@$]/g, (sign) => LEET[sign] ?? sign);
/**
 * Returns the words on which a password may be built: its letters, and its letters after removing
 * the digits and signs around them and undoing leetspeak. `Password2024!` gives `password`.
 */
const cores = (text: string): string[] => [
  text.replaceAll(/[^a-z]/g, ''),
  withoutLeet(text.replaceAll(/^[^a-z]+|(?<![^a-z@$])[^a-z@$]+$/g, '')).replaceAll(/[^a-z]/g, ''),
];

/**
 * Whether consecutive characters differ by at most one: `aaaaaaaaaaaa`, `abcdefghijkl`,
 * `210987654321`. At most two different steps may occur.
 */
function isSequence(text: string): boolean {
  const steps = new Set<number>();
  // 0 comes after 9, as on a keyboard.
  for (let i = 1; i < text.length; i += 1) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1);
    steps.add(Math.abs(step) === 9 ? -Math.sign(step) : step);
  }
  return [...steps].filter((step) => Math.abs(step) <= 1).length === steps.size && steps.size <= 2;
}

/** Whether the text repeats a piece of at most six characters: `abcabcabcabc`. */
function isRepetition(text: string): boolean {
  for (let size = 1; size <= 6; size += 1) {
    if (
      text
        .slice(0, size)
        .repeat(Math.ceil(text.length / size))
        .startsWith(text)
    )
      return true;
  }
  return false;
}

/** Rows and columns of a keyboard, in both directions. */
const KEY_ROWS = ['1234567890-=', 'qwertyuiop[]', "asdfghjkl;'", 'zxcvbnm,./', 'qwertzuiop', 'azertyuiop'];
const KEY_COLUMNS = ['1qaz', '2wsx', '3edc', '4rfv', '5tgb', '6yhn', '7ujm', '8ik,', '9ol.', '0p;/'];
const WALKS = [...KEY_ROWS, ...KEY_COLUMNS].flatMap((walk) => [walk, [...walk].reverse().join('')]);
/** Minimum length of a part of a row to search for. */
const WALK_MIN = 4;

/**
 * Length of the longest part of a keyboard row that begins at `start`; 0 for less than four keys.
 */
function walkAt(text: string, start: number): number {
  let length = WALK_MIN;
  while (
    start + length <= text.length &&
    WALKS.some((walk) => walk.includes(text.slice(start, start + length)))
  ) {
    length += 1;
  }
  return length - 1 < WALK_MIN ? 0 : length - 1;
}

/**
 * Whether fewer than eight characters remain when runs of adjacent keys are removed:
 * `qwertyuiopasdfgh`, `1qaz2wsx!QAZ`.
 */
function isKeyboardWalk(text: string): boolean {
  let left = 0;
  for (let at = 0; at < text.length;) {
    const length = walkAt(text, at);
    if (length === 0) left += 1;
    at += length === 0 ? 1 : length;
  }
  return left < text.length && left < LEFT_MIN;
}

const isCommon = (text: string): boolean =>
  COMMON_PASSWORDS.has(text) || cores(text).some((core) => COMMON_WORDS.has(core));

function fault(password: string, email: string): string | null {
  const { length } = [...password];
  if (length < PASSWORD_CHARACTERS_MIN)
    return `must have at least ${String(PASSWORD_CHARACTERS_MIN)} characters`;
  if (length > PASSWORD_CHARACTERS_MAX)
    return `must have at most ${String(PASSWORD_CHARACTERS_MAX)} characters`;
  const text = password.normalize('NFKC').toLowerCase();
  if (isCommon(text) || isSequence(text) || isRepetition(text) || isKeyboardWalk(text))
    return 'is easy to guess: it is common, a sequence, a repetition, or a row of keys; choose another one';
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  const parts = [local, domain.split('.').at(-2) ?? '', ...PRODUCT].filter((part) => part.length >= PART_MIN);
  // The remaining text must be long enough to be a password by itself.
  const left = parts.reduce((rest, part) => rest.replaceAll(part, ''), text);
  return left !== text && left.length < LEFT_MIN
    ? 'must not consist of your email address or of the name of this product'
    : null;
}

/**
 * Throws `validation_failed` for a new password that is too short, too long or easy to guess, or
 * that consists of the user's own email address or the product's name.
 */
export function assertGoodPassword(password: string, email: string, field = 'password'): void {
  const rule = fault(password, email);
  if (rule !== null) throw invalid(field, `${field} ${rule}`);
}
