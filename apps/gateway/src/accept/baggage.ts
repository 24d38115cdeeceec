/** Maximum number of metadata pairs of a request, from all sources together. */
export const METADATA_PAIRS_MAX = 64;
export const METADATA_VALUE_MAX = 1_024;

/** A `token` of RFC 9110, at most 128 characters. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/**
 * Adds the entries of the W3C `baggage` header to the metadata. The request's own metadata takes
 * precedence. Entries that are malformed or exceed the bounds are skipped without an error, because
 * an intermediary often sets this header.
 */
export function withBaggage(
  header: string,
  metadata: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const merged = Object.assign(Object.create(null), metadata) as Record<string, string>;
  let left = METADATA_PAIRS_MAX - Object.keys(merged).length;
  for (const member of header.split(',', METADATA_PAIRS_MAX)) {
    const at = member.indexOf('=');
    const name = member.slice(0, at).trim();
    if (left <= 0 || at < 1 || !NAME.test(name) || merged[name] !== undefined) continue;
    const value = decoded((member.slice(at + 1).split(';', 1)[0] ?? '').trim());
    if (value === null || value.length > METADATA_VALUE_MAX) continue;
    merged[name] = value;
    left -= 1;
  }
  return merged;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
