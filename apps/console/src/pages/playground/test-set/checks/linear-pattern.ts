import type { RE2JS } from 're2js';
import { checkWords as text } from '../../../../messages/en/test-sets';

/**
 * Bounds of a pattern, and of one search: instructions of the pattern times length of the text. A step takes up to 50 ns for patterns
 * that are made to be slow, so one search blocks the page for a quarter of a second at most.
 */
const LENGTH_MAX = 1_024;
const PROGRAM_SIZE_MAX = 1_000;
const UNICODE_CLASSES_MAX = 50;
const STEPS_MAX = 5_000_000;

/** Returns whether the pattern matches anywhere in the text; null for a text that is too long for it. */
export type Search = (text: string) => boolean | null;

/**
 * Compiles `pattern` or `/pattern/flags` with the flags i, m and s, as the check `default.regexMatch` of guardrails does. RE2 searches
 * in time in proportion to the text, which the browser's own expressions do not. Resolves to a sentence where the pattern is invalid.
 */
export async function linearPattern(rule: string): Promise<Search | string> {
  if (rule.length > LENGTH_MAX) return text.patternLong(LENGTH_MAX);
  const [, delimited, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(rule) ?? [];
  const source = delimited ?? rule;
  const fault = writtenFault(source, flags);
  if (fault !== null) return fault;
  const kept = [...new Set(flags.replaceAll(/[gu]/g, ''))].join('');
  const { RE2JS: Engine } = await import('re2js');
  const regex = compiled(Engine, kept === '' ? source : `(?${kept}:${source})`);
  if (regex === null) return text.patternBroken;
  const size = regex.programSize();
  if (size > PROGRAM_SIZE_MAX) return text.patternLarge;
  return (searched) => (searched.length * size > STEPS_MAX ? null : regex.test(searched));
}

function writtenFault(source: string, flags: string): string | null {
  if (source === '') return text.patternEmpty;
  if (!/^[imsgu]*$/.test(flags)) return text.patternFlags(flags);
  const classes = source.match(/\\[pP]/g)?.length ?? 0;
  return classes > UNICODE_CLASSES_MAX ? text.patternClasses(UNICODE_CLASSES_MAX) : null;
}

function compiled(Engine: typeof RE2JS, source: string): RE2JS | null {
  try {
    return Engine.compile(source);
  } catch {
    return null;
  }
}
