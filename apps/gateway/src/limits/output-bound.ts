import { OUTPUT_BOUNDS, type JsonObject } from '@gw/providers';

/** The bound of a body and how many answers it asks for. Null: it names none. */
export function outputBoundOf(body: JsonObject): number | null {
  const bounds = OUTPUT_BOUNDS.map((name) => body[name]).filter(isCount);
  const { n } = body;
  return bounds.length === 0 ? null : Math.max(...bounds) * (isCount(n) && n > 1 ? n : 1);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
