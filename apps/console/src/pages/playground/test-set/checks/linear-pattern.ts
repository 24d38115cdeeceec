import type { RE2JS } from 're2js';
import { checkWords as text } from '../../../../messages/en/test-sets';

/**
 * Bounds of a pattern and of one search. A search takes at most as many steps as the pattern has
 * instructions times the length of the text. A step of a worst-case pattern takes up to 50 ns, so
 * one search blocks the page for at most a quarter of a second.
 */
const LENGTH_MAX = 1_024;
const PROGRAM_SIZE_MAX = 1_000;
const UNICODE_CLASSES_MAX = 50;
const STEPS_MAX = 5_000_000;

/**
 * Returns whether the pattern matches anywhere in the text; null when the text is too long for the
 * pattern.
 */
export type Search = (text: string) => boolean | null;

/**
 * Compiles `pattern` or `/pattern/flags` with the flags i, m and s, like the guardrail check
 * `default.regexMatch`. Uses RE2, whose search time is linear in the text, unlike the browser's
 * regular expressions. Resolves to a sentence when the pattern is invalid.
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
