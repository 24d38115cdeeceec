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
  }
  return found;
}

/** Brackets, and strings as far as they go on one line. */
const TOKENS = /[{}[\]"]/g;
const STRING_END = /["\n]|\\./gs;

/** Outermost pairs of brackets that fit, with strings skipped. After a bracket that never closes, what stands within it is looked at. */
function bracketed(text: string): readonly string[] {
  const open: number[] = [];
  const pairs: [number, number][] = [];
  TOKENS.lastIndex = 0;
  for (let token = TOKENS.exec(text); token; token = TOKENS.exec(text)) {
    const char = token[0];
    if (char === '"') {
      if (open.length > 0) TOKENS.lastIndex = endOfString(text, token.index + 1);
    } else if (char === '{' || char === '[') open.push(token.index);
    else close(text, { open, pairs }, token.index);
  }
  return pairs.slice(0, CANDIDATES_MAX).map(([start, end]) => text.slice(start, end + 1));
}

function endOfString(text: string, from: number): number {
  STRING_END.lastIndex = from;
  for (let found = STRING_END.exec(text); found; found = STRING_END.exec(text)) {
    if (found[0].length === 1) return STRING_END.lastIndex;
  }
  return text.length;
}

/** A bracket that closes another kind makes all open ones plain text. */
function close(
  text: string,
  { open, pairs }: { open: number[]; pairs: [number, number][] },
  end: number,
): void {
  const start = open.at(-1);
  if (start === undefined || (text[start] === '{') !== (text[end] === '}')) {
    open.length = 0;
    return;
  }
  open.pop();
  while ((pairs.at(-1)?.[0] ?? -1) > start) pairs.pop();
  pairs.push([start, end]);
}
