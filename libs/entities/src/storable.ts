/** Matches escapes of NUL and of half surrogate pairs, which Postgres cannot store. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

const UNSTORABLE_CHARACTER = /[\0\p{Surrogate}]/gu;

/**
 * Returns a text that Postgres can store: NUL and half surrogate pairs become U+FFFD. Texts that
 * differ only in these characters become equal, as they are in the database.
 */
export const storableText = (text: string): string => text.replace(UNSTORABLE_CHARACTER, '\uFFFD');

/** Returns a value as JSON that Postgres can store: NUL and half surrogate pairs become U+FFFD. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return UNSTORABLE.test(text) ? JSON.stringify(storableValue(value)) : text;
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableValue(name), storableValue(member)]),
  );
}
