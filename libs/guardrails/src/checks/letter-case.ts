import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { NOT_PARAMETER, object, scopeParameter, textsOrEmpty } from '../parameters';
import { overPieces } from '../text/pieces';
import type { Scope } from '../text/scope';

function caseCheck(id: string, aliases: readonly string[], name: string, fold: (text: string) => string) {
  return defineCheck<{ not: boolean; scope: readonly Scope[] }>({
    id,
    aliases,
    doc: `Every letter that has a case is ${name}, in every script.`,
    kind: 'text',
    stages: ['input', 'output'],
    allowedForMcpTools: true,
    wholeResponse: true,
    transforms: false,
    timeoutMs: 1_000,
    parameters: object({ not: NOT_PARAMETER, scope: scopeParameter('last_message') }),
    example: { not: true, scope: ['last_message'] },
    prepare: ({ not, scope }) => ({
      evaluate(subject, pace) {
        const judged = reduceInOrder(textsOrEmpty(subject, scope), true, (holds, text) => {
          if (!holds) return false;
          const first = { isFolded: true, isCased: false };
          const seen = overPieces(
            text,
            first,
            ({ isFolded, isCased }, piece) => ({
              isFolded: isFolded && fold(piece) === piece,
              isCased: isCased || hasCase(piece),
            }),
            { pace },
          );
          return then(seen, ({ isFolded, isCased }) => isFolded && isCased);
        });
        return then(judged, (holds) => ({ verdict: holds !== not, data: { not } }));
      },
    }),
  });
}

/**
 * Returns whether a text has letters with a case. A text without them (`123`) is neither upper nor
 * lower case.
 */
const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();

export const allUppercase = caseCheck('default.allUppercase', [], 'upper case', (text) =>
  // `ß` has no single upper-case letter; texts in capitals keep it.
  text.replaceAll('ß', '').toUpperCase() === text.replaceAll('ß', '') ? text : text.toUpperCase(),
);
export const allLowercase = caseCheck(
  'default.allLowercase',
  ['default.isAllLowerCase'],
  'lower case',
  (text) => text.toLowerCase(),
);
