import { Buffer } from 'node:buffer';

/**
 * Beginnings of credentials, each at the beginning of a word. A private key's fifth dash may follow
 * a letter.
 */
const BEGINNINGS = [
  ...['Bearer', 'bearer', 'AKIA', 'ASIA', 'AIza', 'eyJ', '----BEGIN '],
  ...['sk', 'gw', 'vk', 'pk', 'rk', 'hvs', 'ghp', 'gho', 'xoxb', 'xoxp'].flatMap((kind) =>
    ['-', '_', '.'].map((mark) => kind + mark),
  ),
];
/** Endings of the member names of secrets, in any case. */
const ENDINGS = ['key', 'secret', 'password', 'passphrase', 'authorization', 'token', 'verifier'];

const PAIRS = 65_536;
const QUOTE = 0x22;
/** Precedes quotation marks in JSON within a string of JSON. */
const BACKSLASH = 0x5c;
const LOWER = 0x20;
const WORD = /\w/;

/** Beginnings of credentials by their first two bytes. */
const credentialsByPair = new Map<number, Buffer[]>();
for (const text of BEGINNINGS) {
  const bytes = Buffer.from(text);
  const pair = bytes.readUInt16BE(0);
  credentialsByPair.set(pair, [...(credentialsByPair.get(pair) ?? []), bytes]);
}
/** Endings of names by their last byte, in lower case. */
const namesByLastByte = new Map<number, Buffer[]>();
for (const text of ENDINGS) {
  const bytes = Buffer.from(text);
  const last = bytes[bytes.length - 1] as number;
  namesByLastByte.set(last, [...(namesByLastByte.get(last) ?? []), bytes]);
}

const NOTHING = 0;
const BEGINNING = 1;
const NAME_END = 2;
/** Kind of secret that a pair of bytes may belong to. */
const KINDS = new Uint8Array(PAIRS);
for (const pair of credentialsByPair.keys()) KINDS[pair] = BEGINNING;
for (const last of namesByLastByte.keys()) {
  for (const mark of [QUOTE, BACKSLASH]) {
    KINDS[(last << 8) | mark] = NAME_END;
    KINDS[((last & ~LOWER) << 8) | mark] = NAME_END;
  }
}
const IS_WORD = Uint8Array.from({ length: 256 }, (_, byte) => Number(WORD.test(String.fromCharCode(byte))));

/**
 * Whether a body may contain a credential or a secret member that `redactBody` replaces; false: it
 * contains none. Takes a fifth of the time of the regular expressions, which most bodies need not
 * run.
 */
export function mayHoldSecrets(text: Buffer): boolean {
  const end = text.length - 1;
  for (let at = 0; at < end; at += 1) {
    const pair = ((text[at] as number) << 8) | (text[at + 1] as number);
    const kind = KINDS[pair];
    if (kind === NOTHING) continue;
    if (kind === NAME_END ? endsName(text, at) : beginsSecret(text, at, pair)) return true;
  }
  return false;
}

function beginsSecret(text: Buffer, at: number, pair: number): boolean {
  if (at > 0 && IS_WORD[text[at - 1] as number] === 1) return false;
  return credentialsByPair.get(pair)?.some((beginning) => hasAt(text, at, beginning)) === true;
}

function hasAt(text: Buffer, at: number, expected: Buffer): boolean {
  for (let n = 2; n < expected.length; n += 1) if (text[at + n] !== expected[n]) return false;
  return true;
}

/** Returns whether the name of a secret ends at `last`, the index of its last letter. */
function endsName(text: Buffer, last: number): boolean {
  const names = namesByLastByte.get((text[last] as number) | LOWER);
  return names?.some((name) => isBefore(text, last, name)) === true;
}

function isBefore(text: Buffer, last: number, name: Buffer): boolean {
  for (let n = 0; n < name.length; n += 1) {
    if (((text[last - n] as number) | LOWER) !== name[name.length - 1 - n]) return false;
  }
  return true;
}
