/** Parameters by which Google's APIs leave members out of an answer, or wrap it: its usage must come, and be JSON. */
const REDUCING: ReadonlySet<string> = new Set(['fields', 'callback', 'alt']);
const READABLE: ReadonlySet<string> = new Set(['json', 'sse']);

/** The query without what could keep the use out of the answer; the same text where it has nothing of the kind. */
export function wholeResponseQuery(query: string): string {
  const requested = [...new URLSearchParams(query)];
  const kept = requested.filter(([name, value]) => !isReducing(name, value));
  if (kept.length === requested.length) return query;
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept).toString()}`;
}

function isReducing(name: string, value: string): boolean {
  const plain = name.toLowerCase().replace(/^\$/, '');
  return REDUCING.has(plain) && !(plain === 'alt' && READABLE.has(value.toLowerCase()));
}
