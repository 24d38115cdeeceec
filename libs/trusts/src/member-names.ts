/** Matches strings and the punctuation of objects and lists. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * Returns the names of an object's members, duplicates included, without the members of nested
 * objects. `text` must be the valid JSON of an object.
 */
export function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let last = '';
  for (const [part] of text.matchAll(PARTS)) {
    if (part === ':' && depth === 1) names.push(JSON.parse(last) as string);
    if (part === '{' || part === '[') depth += 1;
    if (part === '}' || part === ']') depth -= 1;
    last = part;
  }
  return names;
}
