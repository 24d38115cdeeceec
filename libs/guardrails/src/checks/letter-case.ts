import { defineCheck } from '../check';
import { NOT_PARAMETER, object, scopeParameter, someTexts } from '../parameters';
import type { Scope } from '../text/scope';

function caseCheck(id: string, aliases: readonly string[], name: string, fold: (text: string) => string) {
  return defineCheck<{ not: boolean; scope: readonly Scope[] }>({
    id,
    aliases,
    doc: `Every letter that has a case is ${name}, in every script.`,
    kind: 'text',
    stages: ['input', 'output'],
    deterministic: true,
    wholeAnswer: true,
    transforms: false,
    timeoutMs: 1_000,
    parameters: object({ not: NOT_PARAMETER, scope: scopeParameter('last_message') }),
    example: { not: true, scope: ['last_message'] },
    prepare: ({ not, scope }) => ({
      evaluate(subject) {
        const holds = someTexts(subject, scope).every((text) => fold(text) === text && hasCase(text));
        return { verdict: holds !== not, data: { not } };
      },
    }),
  });
}

/** A text without letters that have a case (`123`) is neither. */
const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();

export const allUppercase = caseCheck('default.allUppercase', [], 'upper case', (text) =>
  // `ß` has no upper case of one letter; it stands in texts of capitals as it is.
  text.replaceAll('ß', '').toUpperCase() === text.replaceAll('ß', '') ? text : text.toUpperCase(),
);
export const allLowercase = caseCheck(
  'default.allLowercase',
  ['default.isAllLowerCase'],
  'lower case',
  (text) => text.toLowerCase(),
);
