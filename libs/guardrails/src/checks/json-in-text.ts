import { parseJson } from '../json';

const CANDIDATES_MAX = 50;

/**
 * The JSON values that a text holds: the whole text, the fenced blocks, and every outermost object or list in the rest. Goes
 * through the text once, so that a text made of brackets costs no more than another.
 */
export function jsonIn(text: string): readonly unknown[] {
  const whole = parseJson(text.trim());
  if (whole !== undefined) return [whole];
  const found: unknown[] = [];
  for (const candidate of bracketed(text)) {
    const value = parseJson(candidate);
    if (value !== undefined) found.push(value);
    if (found.length >= CANDIDATES_MAX) break;
  }
  return found;
}

/** Outermost pairs of brackets that fit, with strings skipped. After a bracket that never closes, what stands within it is looked at. */
function* bracketed(text: string): Generator<string> {
  const open: number[] = [];
  const pairs: [number, number][] = [];
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (inString) {
      if (char === '\\') index++;
      else if (char === '"' || char === '\n') inString = false;
    } else if (char === '"') inString = open.length > 0;
    else if (char === '{' || char === '[') open.push(index);
    else if (char === '}' || char === ']') {
      const start = open.at(-1);
      if (start === undefined || (text[start] === '{') !== (char === '}')) open.length = 0;
      else {
        open.pop();
        while ((pairs.at(-1)?.[0] ?? -1) > start) pairs.pop();
        pairs.push([start, index]);
      }
    }
  }
  for (const [start, end] of pairs) yield text.slice(start, end + 1);
}
