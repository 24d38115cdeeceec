import { defineCheck, type CheckOutcome, type WindowScan } from '../check';
import { reduceInOrder, then } from '../eventually';
import { NOT_PARAMETER, object, scopeParameter, textsOf } from '../parameters';
import type { Scope } from '../text/scope';
import { TextPattern } from '../text/text-pattern';

/** Maximum characters of a match that is reliably found on a stream. */
export const STREAM_MATCH_MAX = 256;

export const RULE_PARAMETER = {
  type: 'string',
  minLength: 1,
  maxLength: 1_030,
  description: 'Pattern in RE2 syntax, bare or as /pattern/flags with the flags i, m and s.',
};

export const regexMatch = defineCheck<{ rule: string; not: boolean; scope: readonly Scope[] }>({
  id: 'default.regexMatch',
  doc: 'The pattern matches in one of the texts; with `not`, in none of them.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: false,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    { rule: RULE_PARAMETER, not: NOT_PARAMETER, scope: scopeParameter('messages', 'tool_results') },
    ['rule'],
  ),
  example: { rule: '\\b\\d{3}-\\d{2}-\\d{4}\\b', not: true, scope: ['all'] },
  prepare({ rule, not, scope }, report) {
    const pattern = compileRule(rule, report);
    return {
      evaluate(subject, pace) {
        const searched = reduceInOrder(
          textsOf(subject, scope),
          false,
          (isFound, text) => isFound || pattern.found(text, pace),
        );
        return then(searched, (found) => outcomeOf(found, not));
      },
      // A required match may still appear, so only a forbidden match can be judged early.
      ...(not ? { window: scanFor(pattern, scope) } : {}),
    };
  },
});

export function compileRule(
  rule: string,
  report: (path: readonly string[], rule: string, message: string, value: unknown) => void,
): TextPattern {
  const pattern = TextPattern.compile(rule);
  if (typeof pattern !== 'string') return pattern;
  report(['rule'], 'pattern', pattern, rule);
  return STAND_IN;
}

/** Stands in for an invalid pattern after it was reported; the guardrail is refused then. */
const STAND_IN = TextPattern.compile('x') as TextPattern;

const outcomeOf = (found: boolean, not: boolean): CheckOutcome => ({
  verdict: found !== not,
  data: { explanation: found ? 'The pattern was found.' : 'The pattern was not found.', not },
});

const scanFor = (pattern: TextPattern, scope: readonly Scope[]): WindowScan => ({
  scope,
  lengthMax: STREAM_MATCH_MAX,
  denies: true,
  find: (text) => pattern.placesNow(text).map((place) => ({ ...place, label: 'match', replacement: null })),
  follow: () => pattern.follow(),
});
