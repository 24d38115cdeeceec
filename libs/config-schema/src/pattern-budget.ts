import { isObject } from '@gw/kernel';
import { CONFIG_LIMITS } from './bounds';
import { Pattern, patternOfRule } from './pattern';

/** Instructions and characters of all patterns of a document together. */
export const PATTERNS_SIZE_MAX = 5_000;
/** Characters that a class of Unicode counts for, or a class as a whole: reading them takes longer than reading characters. */
const UNICODE_CLASS_SIZE = 50;
const CLASS_SIZE = 10;

/**
 * Why the patterns of a config or a guardrail are too much together, or null. Their texts are weighed before the first of them is
 * compiled, and no more are compiled than the budget allows. Takes any JSON value whose nesting is bounded.
 */
export function patternsFault(document: unknown): string | null {
  let sources: string[] = [];
  collect(document, sources);
  // Longer ones are refused by themselves, unread.
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
  `has patterns that are too large together: they may take ${String(PATTERNS_SIZE_MAX)} instructions in sum, and each class of Unicode counts for ${String(UNICODE_CLASS_SIZE)}; use fewer or shorter patterns`;

/** Patterns are under `$regex` in conditions, under `rule` in checks, and among the pairs of a check that matches by regex. */
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

/** What a text costs to compile, in characters: ranges of Unicode and classes are far dearer than letters. */
export function writtenSize(source: string): number {
  let size = source.length;
  for (const [token] of source.matchAll(/\\[pPx]|\[/g)) {
    size += token === '[' ? CLASS_SIZE : UNICODE_CLASS_SIZE;
  }
  return size;
}
