import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { gibberishShare, READ_LENGTH } from '../heuristics/gibberish';
import { NOT_PARAMETER, object, scopeParameter, textsOf } from '../parameters';
import type { Scope } from '../text/scope';

export const gibberish = defineCheck<{ threshold: number; not: boolean; scope: readonly Scope[] }>({
  id: 'gw.gibberish',
  aliases: ['default.gibberish'],
  doc: 'No text consists mostly of words that exist in no language written in Latin letters.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({
    threshold: { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 0.5 },
    not: NOT_PARAMETER,
    scope: scopeParameter('last_message'),
  }),
  example: { threshold: 0.5, not: false, scope: ['last_message'] },
  prepare: ({ threshold, not, scope }) => ({
    evaluate(subject, pace) {
      const judged = reduceInOrder(textsOf(subject, scope), 0, (most, text) =>
        then(pace.step(1 + Math.min(text.length, READ_LENGTH)), () => Math.max(most, gibberishShare(text))),
      );
      return then(judged, (share) => ({
        verdict: share < threshold !== not,
        data: { share: Math.round(share * 100) / 100, threshold, not },
      }));
    },
  }),
});
