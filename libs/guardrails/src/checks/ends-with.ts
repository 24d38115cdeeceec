import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { NOT_PARAMETER, object, scopeParameter, textsOrEmpty } from '../parameters';
import type { Scope } from '../text/scope';

export const endsWith = defineCheck<{ suffix: string; not: boolean; scope: readonly Scope[] }>({
  id: 'default.endsWith',
  doc: 'Every text ends with the suffix; white space and one full stop after it do not count.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    {
      suffix: { type: 'string', minLength: 1, maxLength: 1_000 },
      not: NOT_PARAMETER,
      scope: scopeParameter('last_message'),
    },
    ['suffix'],
  ),
  example: { suffix: 'Thank you', not: false, scope: ['last_message'] },
  prepare: ({ suffix, not, scope }) => ({
    evaluate(subject, pace) {
      const judged = reduceInOrder(textsOrEmpty(subject, scope), true, (ends, text) =>
        then(pace.step(1 + text.length / CHARACTERS_OF_UNIT), () => ends && endsIn(text, suffix)),
      );
      return then(judged, (ends) => ({ verdict: ends !== not, data: { suffix, not } }));
    },
  }),
});

/**
 * Characters that cost one unit of work: the JavaScript engine skips trailing white space much
 * faster than a loop does.
 */
const CHARACTERS_OF_UNIT = 256;

function endsIn(text: string, suffix: string): boolean {
  const trimmed = text.trimEnd();
  return text.endsWith(suffix) || trimmed.endsWith(suffix) || trimmed.endsWith(`${suffix}.`);
}
