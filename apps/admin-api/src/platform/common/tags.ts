import { isStorableText } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Raw, type FindOperator } from 'typeorm';

const TAGS_MAX = 64;

/**
 * Parses a tag filter such as `{"team":"search"}`; null when absent or empty. Throws
 * `validation_failed`.
 */
export function parseTags(text: string | undefined): Readonly<Record<string, string>> | null {
  if (text === undefined) return null;
  const value = parse(text);
  const entries =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
  const isValid =
    entries !== null &&
    entries.length <= TAGS_MAX &&
    entries.every(([name, tag]) => typeof tag === 'string' && isStorableText(name) && isStorableText(tag));
  if (!isValid) throw invalid('tags', 'tags must be a JSON object of strings');
  return entries.length === 0 ? null : (value as Record<string, string>);
}

/**
 * Returns a `where` condition for rows that have all tags of the filter; empty without a filter.
 */
export function tagged(text: string | undefined): { readonly tags?: FindOperator<unknown> } {
  const tags = parseTags(text);
  if (tags === null) return {};
  return { tags: Raw((column) => `${column} @> :tags::jsonb`, { tags: JSON.stringify(tags) }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
