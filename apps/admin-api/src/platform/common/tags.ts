import { invalid, isStorableText } from '@gw/web';

const TAGS_MAX = 64;

/** A filter by tags, `{"team":"search"}` in the query; null when absent or empty. Throws `validation_failed`. */
export function parseTags(text: string | undefined): Readonly<Record<string, string>> | null {
  if (text === undefined) return null;
  const value = parse(text);
  const entries =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  const isValid =
    entries !== null &&
    entries.length <= TAGS_MAX &&
    entries.every(([name, tag]) => typeof tag === 'string' && isStorableText(name) && isStorableText(tag));
  if (!isValid) throw invalid('tags', 'tags must be a JSON object of texts');
  return entries.length === 0 ? null : (value as Record<string, string>);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
