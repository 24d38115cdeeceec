import { defineCheck, type TextMatch } from '../check';
import { reduceInOrder, then } from '../eventually';
import { object, scopeParameter, textsOf } from '../parameters';
import { replaceFindings } from '../text/replace';
import type { Scope } from '../text/scope';
import type { TextPattern } from '../text/text-pattern';
import { compileRule, RULE_PARAMETER, STREAM_MATCH_MAX } from './regex-match';

interface Parameters {
  readonly rule: string;
  readonly redactText: string;
  readonly failOnDetection: boolean;
  readonly scope: readonly Scope[];
}

export const regexReplace = defineCheck<Parameters>({
  id: 'default.regexReplace',
  doc: 'Replaces every match of the pattern; fails on a match only with `failOnDetection`.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: false,
  transforms: true,
  timeoutMs: 2_000,
  parameters: object(
    {
      rule: RULE_PARAMETER,
      redactText: { type: 'string', maxLength: 200, default: '[REDACTED]' },
      failOnDetection: { type: 'boolean', default: false },
      scope: scopeParameter('messages', 'tool_results'),
    },
    ['rule'],
  ),
  example: { rule: '/project-[a-z]+/i', redactText: '[PROJECT]', failOnDetection: false, scope: ['all'] },
  prepare({ rule, redactText, failOnDetection, scope }, report) {
    const pattern = compileRule(rule, report);
    const findings = (places: Awaited<ReturnType<TextPattern['places']>>): readonly TextMatch[] =>
      places.map((place) => ({ ...place, label: 'match', replacement: redactText }));
    return {
      transforms: true,
      window: {
        scope,
        lengthMax: STREAM_MATCH_MAX,
        denies: failOnDetection,
        find: (text) => findings(pattern.placesNow(text)),
        follow: () => pattern.follow(),
      },
      evaluate(subject, pace) {
        textsOf(subject, scope);
        const passages = subject.passages();
        const first = { edits: new Map<number, string>(), matches: 0 };
        const replaced = reduceInOrder(subject.selected(scope), first, (state, position) => {
          const text = passages[position]?.text ?? '';
          return then(pattern.places(text, pace), (places) => {
            if (places.length > 0) state.edits.set(position, replaceFindings(text, findings(places)));
            return { edits: state.edits, matches: state.matches + places.length };
          });
        });
        return then(replaced, ({ edits, matches }) => ({
          verdict: matches === 0 || !failOnDetection,
          data: { matches },
          edits,
        }));
      },
    };
  },
});
