import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { LANGUAGES, languageOf, READ_LENGTH } from '../heuristics/language';
import { NOT_PARAMETER, object, scopeParameter, textsOf } from '../parameters';
import type { Scope } from '../text/scope';

interface Parameters {
  readonly language: readonly string[];
  readonly passUnknown: boolean;
  readonly not: boolean;
  readonly scope: readonly Scope[];
}

export const language = defineCheck<Parameters>({
  id: 'gw.language',
  aliases: ['default.language'],
  doc: 'Every text is written in one of the languages, as far as that can be detected.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    {
      language: {
        type: 'array',
        items: { enum: LANGUAGES },
        minItems: 1,
        maxItems: LANGUAGES.length,
        uniqueItems: true,
      },
      passUnknown: {
        type: 'boolean',
        default: true,
        description: 'Whether texts pass whose language cannot be detected.',
      },
      not: NOT_PARAMETER,
      scope: scopeParameter('last_message'),
    },
    ['language'],
  ),
  example: { language: ['en', 'de'], passUnknown: true, not: false, scope: ['last_message'] },
  prepare: ({ language: allowed, passUnknown, not, scope }) => ({
    evaluate(subject, pace) {
      const judged = reduceInOrder(textsOf(subject, scope), new Set<string | null>(), (found, text) =>
        then(pace.step(1 + Math.min(text.length, READ_LENGTH)), () => found.add(languageOf(text))),
      );
      const fits = (each: string | null) => (each === null ? passUnknown : allowed.includes(each) !== not);
      return then(judged, (found) => ({
        verdict: [...found].every(fits),
        data: { languages: [...found].slice(0, 10), not },
      }));
    },
  }),
});
