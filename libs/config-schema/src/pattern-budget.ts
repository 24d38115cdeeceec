import { isObject } from '@gw/kernel';
import { CONFIG_LIMITS } from './bounds';
import { Pattern, patternOfRule } from './pattern';

/** Maximum instructions, and maximum characters, of all patterns of a document together. */
export const PATTERNS_SIZE_MAX = 5_000;
/**
 * Costs, in characters, of a Unicode class and of a bracket expression, which are slower to parse
 * than characters.
 */
const UNICODE_CLASS_SIZE = 50;
const CLASS_SIZE = 10;

/**
 * Returns why the patterns of a config or guardrail exceed their common budget; null when they do
 * not. Checks the length of all texts before it compiles any, and compiles no more than the budget
 * allows. Accepts any JSON value of bounded nesting.
 */
export function patternsFault(document: unknown): string | null {
  let sources: string[] = [];
  collect(document, sources);
  // Longer patterns are refused elsewhere without being parsed.
  sources = sources.filter(({ length }) => length <= CONFIG_LIMITS.patternLengthMax);
  const written = sources.reduce((sum, source) => sum + writtenSize(source), 0);
  if (written > PATTERNS_SIZE_MAX) return tooLarge();
  let compiled = 0;
  for (const source of sources) {
    const pattern = Pattern.compile(source);
    if (typeof pattern !== 'string') compiled += pattern.size;
    if (compiled > PATTERNS_SIZE_MAX) return tooLarge();
  }
  return null;
}

const tooLarge = (): string =>
  `has patterns that are too large in total: at most ${String(PATTERNS_SIZE_MAX)} instructions, of which each Unicode class uses ${String(UNICODE_CLASS_SIZE)}; use fewer or shorter patterns`;

/**
 * Collects patterns: `$regex` of conditions, `rule` of checks, and the pairs of a check that
 * matches by regex.
 */
function collect(value: unknown, sources: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) collect(item, sources);
    return;
  }
  if (!isObject(value)) return;
  if (value['matchType'] === 'regex') collectPairs(value['metadataPairs'], sources);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'string') collect(member, sources);
    else if (key === '$regex') sources.push(member);
    else if (key === 'rule') sources.push(patternOfRule(member).source);
  }
}

function collectPairs(pairs: unknown, sources: string[]): void {
  if (!isObject(pairs)) return;
  for (const rule of Object.values(pairs).flat()) {
    if (typeof rule === 'string') sources.push(patternOfRule(rule).source);
  }
}

/**
 * Returns the cost of compiling a pattern, in characters. Unicode classes and bracket expressions
 * cost far more than letters.
 */
export function writtenSize(source: string): number {
  let size = source.length;
  for (const [token] of source.matchAll(/\\[pPx]|\[/g)) {
    size += token === '[' ? CLASS_SIZE : UNICODE_CLASS_SIZE;
  }
  return size;
}
