import type { Usage } from '@gw/contracts';

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

/** Sums of millions of values fit into 64 bits: no record may keep those of others from being added up. */
const COUNT_MAX = 1e12;
const MONEY_MAX = 1e14;
const DURATION_MAX_MS = 1e11;
/** Callers choose trace and span ids; an index entry holds at most some 2,700 bytes. */
const INDEXED_TEXT_MAX = 512;

/** A whole number within +-`max`; null for what is no finite number. Providers report counts, and not all of them whole ones. */
const whole = (value: number | null | undefined, max: number): number | null =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.max(Math.min(Math.round(value), max), 0 - max)
    : null;

/** Values that the columns of a log can hold, whatever the record says. */
export const storable = {
  count: (value: number | null | undefined): number | null => whole(value, COUNT_MAX),
  /** 1e-8 USD. */
  money: (value: number | null): number | null => whole(value, MONEY_MAX),
  /** Not negative. */
  milliseconds: (value: number | null): number | null =>
    typeof value === 'number' && Number.isFinite(value)
      ? Math.max(Math.min(value, DURATION_MAX_MS), 0)
      : null,
  /** Text of a caller's in an indexed column: its first 512 characters. */
  indexed: <T extends string | null>(value: T): T | string =>
    typeof value === 'string' && value.length > INDEXED_TEXT_MAX ? value.slice(0, INDEXED_TEXT_MAX) : value,
  /** Null where the provider reported no usage. */
  totalTokens: (usage: Usage | null): number | null =>
    usage ? (whole(usage.inputTokens, COUNT_MAX) ?? 0) + (whole(usage.outputTokens, COUNT_MAX) ?? 0) : null,
};
