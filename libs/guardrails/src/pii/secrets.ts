import type { Recognizer } from './recognizer';

/** Keys whose format identifies their issuer. */
const KNOWN =
  /(?<![A-Za-z0-9_-])(?:sk-[A-Za-z0-9_-]{16,250}|(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{20,250}|github_pat_[A-Za-z0-9_]{22,250}|gl(?:pat|ptt|dt|rt)-[A-Za-z0-9_-]{20,100}|xox[abeposr]-[A-Za-z0-9-]{10,250}|AIza[A-Za-z0-9_-]{20,45}|ya29\.[A-Za-z0-9_-]{20,250}|(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{10,250}|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}|(?:AC|SK)[0-9a-f]{32}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,250}|hf_[A-Za-z0-9]{30,50}|hv[sb]\.[A-Za-z0-9_-]{20,250}|do[opr]_v1_[0-9a-f]{64}|gsk_[A-Za-z0-9]{20,80}|r8_[A-Za-z0-9]{30,50}|gw-[A-Za-z0-9]{24,80}|eyJ[A-Za-z0-9_-]{15,}(?:\.[A-Za-z0-9_-]{2,}){0,2})/g;

/** A name of a secret followed by its value. Group 1 is everything before the value. */
const ASSIGNED =
  /((?:api[_ -]?key|access[_ -]?key|secret(?:[_ -]?key)?|client[_ -]?secret|auth[_ -]?token|access[_ -]?token|token|passw(?:or)?d|passwort|mot de passe|contraseña|pwd|credentials?|bearer)["']?(?: is| lautet| est| es| è)?[:= ]{1,3}["']?)([^\s"',;<>()[\]{}]{8,250})/gi;

/** `scheme://user:password@host`. */
const IN_URL = /:\/\/[^\s:/@]{0,100}:([^\s:/@]{3,200})@/g;

const PEM = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g;
const TOKEN = /(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{24,128}={0,2}(?![A-Za-z0-9+/=_-])/g;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const secrets: Recognizer = (text, emit) => {
  for (const { 0: match, index } of text.matchAll(KNOWN)) emit(index, index + match.length);
  for (const { 1: before = '', 2: value = '', index } of text.matchAll(ASSIGNED)) {
    const trimmed = value.replace(/(?<![.!?:])[.!?:]+$/, '');
    if (!looksLikeSecret(trimmed)) continue;
    emit(index + before.length, index + before.length + trimmed.length);
  }
  for (const { 0: match, 1: value = '', index } of text.matchAll(IN_URL)) {
    const start = index + match.length - 1 - value.length;
    emit(start, start + value.length);
  }
  for (const { index } of text.matchAll(PEM)) emit(index, endOfPem(text, index));
  for (const { 0: match, index } of text.matchAll(TOKEN)) {
    if (looksRandom(match) && !text.slice(Math.max(0, index - 8), index).endsWith('base64,')) {
      emit(index, index + match.length);
    }
  }
};

/**
 * Returns the end of a PEM block: of its end marker or, without one, of the text that looks like
 * the block.
 */
function endOfPem(text: string, start: number): number {
  const rest = text.slice(start, start + 16_384);
  const end = /-----END [A-Z ]{0,30}PRIVATE KEY-----/.exec(rest);
  if (end) return start + end.index + end[0].length;
  return start + (/^-----BEGIN [A-Z ]*-----[A-Za-z0-9+/=\s]*/.exec(rest)?.[0] ?? '').trimEnd().length;
}

/**
 * Whether a value looks like a secret: it mixes letters with digits or marks. The text after
 * `token:` in a sentence is usually an ordinary word.
 */
const looksLikeSecret = (value: string): boolean =>
  value.length >= 8 &&
  /[A-Za-z]/.test(value) &&
  (/\d/.test(value) || /[!$%&*#@^~+/]/.test(value)) &&
  !value.includes('://');

/** Whether a token mixes upper case, lower case and digits as only a random one does. */
function looksRandom(token: string): boolean {
  if (UUID.test(token) || !/[a-z]/.test(token) || !/[A-Z]/.test(token)) return false;
  const digits = token.match(/\d/g)?.length ?? 0;
  return digits >= 2 && changesOfKind(token) >= 0.42 && entropy(token) >= 3.8;
}

/** Returns how often the kind of character changes from one to the next, relative to the length. */
function changesOfKind(token: string): number {
  let changes = 0;
  let before = kindOf(token.charCodeAt(0));
  for (let index = 1; index < token.length; index++) {
    const kind = kindOf(token.charCodeAt(index));
    if (kind !== before) changes++;
    before = kind;
  }
  return changes / token.length;
}

const kindOf = (code: number): number => (code >= 97 ? 0 : code >= 65 ? 1 : code >= 48 && code <= 57 ? 2 : 3);

/** Returns the entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
