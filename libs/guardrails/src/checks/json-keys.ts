import { defineCheck } from '../check';
import { isObject } from '../json';
import { object, scopeParameter, someTexts, textList } from '../parameters';
import type { Scope } from '../text/scope';
import { jsonIn } from './json-in-text';

interface Parameters {
  readonly keys: readonly string[];
  readonly operator: 'any' | 'all' | 'none';
  readonly scope: readonly Scope[];
}

export const jsonKeys = defineCheck<Parameters>({
  id: 'default.jsonKeys',
  doc: 'Every text holds a JSON object with any, all or none of the keys at its top.',
  kind: 'text',
  stages: ['input', 'output'],
  deterministic: true,
  wholeAnswer: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    {
      keys: { ...textList(200), minItems: 1 },
      operator: { enum: ['any', 'all', 'none'], default: 'any' },
      scope: scopeParameter('last_message'),
    },
    ['keys'],
  ),
  example: { keys: ['name', 'age'], operator: 'all', scope: ['last_message'] },
  prepare: ({ keys, operator, scope }) => ({
    evaluate(subject) {
      const texts = someTexts(subject, scope).map((text) => jsonIn(text).filter(isObject));
      const has = (value: object, key: string) => Object.hasOwn(value, key);
      const holds = texts.every((objects) =>
        operator === 'none'
          ? objects.every((value) => !keys.some((key) => has(value, key)))
          : objects.some((value) =>
              operator === 'any' ? keys.some((key) => has(value, key)) : keys.every((key) => has(value, key)),
            ),
      );
      return {
        verdict: holds,
        data: { operator, objects: texts.reduce((sum, { length }) => sum + length, 0) },
      };
    },
  }),
});
