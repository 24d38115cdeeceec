/**
 * Parameters of Google's APIs that remove members from a response or wrap it. The gateway needs the
 * usage, as JSON.
 */
const REDUCING: ReadonlySet<string> = new Set(['fields', 'callback', 'alt']);
const READABLE: ReadonlySet<string> = new Set(['json', 'sse']);

/**
 * Removes query parameters that could hide the usage in the response. Returns the same text when
 * there are none.
 */
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
