import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { injectionSigns } from '../heuristics/injection';
import { object, scopeParameter, textsOf } from '../parameters';
import { OVERLAPPING, overPieces } from '../text/pieces';
import type { Scope } from '../text/scope';

interface Parameters {
  readonly threshold: number;
  readonly scope: readonly Scope[];
}

export const promptInjection = defineCheck<Parameters>({
  id: 'gw.promptInjection',
  aliases: ['default.promptInjection'],
  doc: 'No text shows signs of an attempt to override the model’s instructions, in English and six other languages.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({
    threshold: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 60,
      description:
        'Minimum score of a failing text. 40 finds more with more false positives, 80 the opposite.',
    },
    scope: scopeParameter('messages', 'tool_results', 'tools'),
  }),
  example: { threshold: 60, scope: ['messages', 'tool_results'] },
  prepare: ({ threshold, scope }) => ({
    evaluate(subject, pace) {
      const first = { score: 0, signs: new Set<string>() };
      const judged = reduceInOrder(textsOf(subject, scope), first, (state, text) =>
        overPieces(
          text,
          state,
          ({ score, signs }, piece) => {
            const found = injectionSigns(piece);
            for (const sign of found.signs) signs.add(sign);
            return { score: Math.max(score, found.score), signs };
          },
          { pace, overlap: OVERLAPPING },
        ),
      );
      return then(judged, ({ score, signs }) => ({
        verdict: score < threshold,
        data: { score, threshold, signs: [...signs] },
      }));
    },
  }),
});
