import type { TextMatch } from '../check';

/**
 * Replaces findings, which must be in order, in a text. When two overlap, the replacement of the
 * first covers both.
 */
export function replaceFindings(text: string, findings: readonly TextMatch[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, replacement } of findings) {
    if (replacement === null || end <= at) continue;
    if (start >= at) result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}

/** Counts findings by label. */
export function countLabels(findings: Iterable<TextMatch>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { label } of findings) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}
