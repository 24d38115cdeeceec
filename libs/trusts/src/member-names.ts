/** Strings, and the characters that open, close and part objects and lists. */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * The names of the members of an object, as often as the text has them, without those of objects within it. `text` must be valid JSON
 * of an object.
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
