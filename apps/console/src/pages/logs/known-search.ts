import type { SearchRecord } from '../../url';

const KEYS: ReadonlySet<string> = new Set(['t', 'f', 'q', 'cols', 'log', 'tab', 'live']);

/**
 * Keeps the known search parameters of a logs page unchanged, including invalid ones, which the
 * page reports.
 */
export function knownSearch(search: Readonly<Record<string, unknown>>): SearchRecord {
  const known: Record<string, string | readonly string[]> = {};
  for (const [key, value] of Object.entries(search)) {
    if (!KEYS.has(key)) continue;
    if (Array.isArray(value)) known[key] = value.map(String);
    else if (typeof value === 'string' || typeof value === 'number') known[key] = String(value);
  }
  return known;
}
