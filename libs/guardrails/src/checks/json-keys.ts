import { isObject } from '@gw/kernel';
import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { object, scopeParameter, textsOrEmpty, textList } from '../parameters';
import type { Scope } from '../text/scope';
import { jsonIn } from './json-in-text';

interface Parameters {
  readonly keys: readonly string[];
  readonly operator: 'any' | 'all' | 'none';
  readonly scope: readonly Scope[];
}

export const jsonKeys = defineCheck<Parameters>({
  id: 'default.jsonKeys',
  doc: 'Every text contains a JSON object with any, all or none of the keys at its top level.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
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
    evaluate(subject, pace) {
      const judged = reduceInOrder(textsOrEmpty(subject, scope), { holds: true, count: 0 }, (state, text) =>
        then(jsonIn(text, pace), (values) => {
          const objects = values.filter(isObject);
          return {
            holds: state.holds && fits(objects, keys, operator),
            count: state.count + objects.length,
          };
        }),
      );
      return then(judged, ({ holds, count }) => ({ verdict: holds, data: { operator, objects: count } }));
    },
  }),
});

function fits(
  objects: readonly object[],
  keys: readonly string[],
  operator: Parameters['operator'],
): boolean {
  const has = (value: object) => (key: string) => Object.hasOwn(value, key);
  if (operator === 'none') return objects.every((value) => !keys.some(has(value)));
  return objects.some((value) => (operator === 'any' ? keys.some(has(value)) : keys.every(has(value))));
}
