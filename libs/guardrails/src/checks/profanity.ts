import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { Profanity, PROFANITY_LANGUAGES } from '../heuristics/profanity';
import { object, scopeParameter, textList, textsOf } from '../parameters';
import { overPieces } from '../text/pieces';
import type { Scope } from '../text/scope';

interface Parameters {
  readonly languages: readonly string[];
  readonly words: readonly string[];
  readonly scope: readonly Scope[];
}

export const profanity = defineCheck<Parameters>({
  id: 'gw.profanity',
  aliases: ['default.profanity'],
  doc: 'No text contains a profane word from the lists in five languages, or one of your own words.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({
    languages: {
      type: 'array',
      items: { enum: PROFANITY_LANGUAGES },
      maxItems: PROFANITY_LANGUAGES.length,
      default: PROFANITY_LANGUAGES,
    },
    words: {
      ...textList(500, 100),
      default: [],
      description: 'Additional words; a final `*` matches any ending.',
    },
    scope: scopeParameter('messages'),
  }),
  example: { languages: ['en'], words: ['blast*'], scope: ['messages'] },
  prepare({ languages, words, scope }) {
    const lists = new Profanity(languages, words);
    return {
      evaluate(subject, pace) {
        const counted = reduceInOrder(textsOf(subject, scope), 0, (sum, text) =>
          overPieces(text, sum, (state, piece) => state + lists.count(piece), { pace }),
        );
        return then(counted, (found) => ({ verdict: found === 0, data: { found } }));
      },
    };
  },
});
