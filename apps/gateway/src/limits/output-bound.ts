import type { Buffer } from 'node:buffer';
import type { JsonObject } from '@gw/providers';

/** What routes call the bound on an answer's tokens. */
const NAMES = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;
const MARK = '_tokens"';
const QUOTE = 0x22;
const LONGEST = 24;
const FOUND_MAX = 8;
/** A longer body is not looked through. */
const BYTES_MAX = 65_536;
const VALUE = /^\s*:\s*(\d{1,9})\s*[,}]/;

/**
 * The bound that a body seems to name, read without parsing it; null: none was seen. A member of an inner object may be taken for it,
 * which is good enough for an estimate and for nothing else.
 */
export function outputBoundSeen(body: Buffer): number | null {
  if (body.length > BYTES_MAX) return null;
  let at = body.indexOf(MARK, 0, 'latin1');
  for (let found = 0; at !== -1 && found < FOUND_MAX; found += 1) {
    const from = body.lastIndexOf(QUOTE, at);
    const end = at + MARK.length - 1;
    if (from !== -1 && end - from <= LONGEST && isName(body.toString('latin1', from + 1, end))) {
      const value = VALUE.exec(body.toString('latin1', end + 1, end + 33));
      if (value) return Number(value[1]);
    }
    at = body.indexOf(MARK, at + 1, 'latin1');
  }
  return null;
}

/** The bound of a body and how many answers it asks for. Null: it names none. */
export function outputBoundOf(body: JsonObject): number | null {
  const bounds = NAMES.map((name) => body[name]).filter(isCount);
  const { n } = body;
  return bounds.length === 0 ? null : Math.max(...bounds) * (isCount(n) && n > 1 ? n : 1);
}

const isName = (text: string): boolean => (NAMES as readonly string[]).includes(text);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
