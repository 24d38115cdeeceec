// With the u flag a surrogate pair is one character, so only a half of one has this property.
const HALF = /\p{Surrogate}/u;
const HALVES = /\p{Surrogate}/gu;
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const EACH_UNSTORABLE = /[\0\p{Surrogate}]/gu;
const REPLACEMENT = '\uFFFD';

/** Returns whether UTF-8 can encode a text: it has no half of a surrogate pair. */
export const isWellFormed = (text: string): boolean => !HALF.test(text);

/** Returns a text that UTF-8 can encode: halves of surrogate pairs become U+FFFD. */
export const wellFormed = (text: string): string => text.replace(HALVES, REPLACEMENT);

/** Returns whether Postgres can store a text: it has no NUL and no half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !UNSTORABLE.test(text);

/**
 * Returns a text that Postgres can store: NUL and halves of surrogate pairs become U+FFFD. Texts
 * that differ only in these characters become equal, as they are in the database.
 */
export const storableText = (text: string): string => text.replace(EACH_UNSTORABLE, REPLACEMENT);

/** Escapes that `JSON.stringify` writes for what Postgres cannot store. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/;
/** The same escapes in full, and escaped backslashes, whose second one begins no escape. */
const ESCAPES = /\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g;

/**
 * Returns a value as JSON that Postgres can store: NUL and halves of surrogate pairs in texts and
 * names of members become U+FFFD.
 */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!UNSTORABLE_ESCAPE.test(json)) return json;
  return json.replace(ESCAPES, (escape) => (escape === '\\\\' ? escape : REPLACEMENT));
}
