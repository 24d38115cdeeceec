/** Postgres text holds no NUL and no half of a surrogate pair; JSON spells both as escapes. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** A value as JSON that Postgres can take, whatever texts it holds. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return UNSTORABLE.test(text) ? JSON.stringify(storableValue(value)) : text;
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').replace(LONE_SURROGATE, '\uFFFD');
  if (Array.isArray(value)) return value.map(storableValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableValue(name), storableValue(member)]),
  );
}
