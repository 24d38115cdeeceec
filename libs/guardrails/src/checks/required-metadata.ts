import { defineCheck } from '../check';
import { object, textList } from '../parameters';
import { compileRule } from './regex-match';

type Operator = 'all' | 'any' | 'none';
const OPERATOR = { enum: ['all', 'any', 'none'], default: 'all' };

const decide = (operator: Operator, holding: number, required: number): boolean =>
  operator === 'none' ? holding === 0 : operator === 'any' ? holding > 0 : holding === required;

export const requiredMetadataKeys = defineCheck<{ metadataKeys: readonly string[]; operator: Operator }>({
  id: 'default.requiredMetadataKeys',
  doc: 'The request’s metadata has all, any or none of the keys.',
  kind: 'metadata',
  stages: ['input'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({ metadataKeys: { ...textList(100), minItems: 1 }, operator: OPERATOR }, [
    'metadataKeys',
  ]),
  example: { metadataKeys: ['team', 'cost_centre'], operator: 'all' },
  prepare: ({ metadataKeys, operator }) => ({
    evaluate({ facts: { metadata } }) {
      const missing = metadataKeys.filter((key) => !Object.hasOwn(metadata, key));
      const holding = metadataKeys.length - missing.length;
      return { verdict: decide(operator, holding, metadataKeys.length), data: { operator, missing } };
    },
  }),
});

interface PairParameters {
  readonly metadataPairs: Readonly<Record<string, string | readonly string[]>>;
  readonly operator: Operator;
  readonly matchType: 'exact' | 'contains' | 'containsAll' | 'regex';
}

export const requiredMetadataKeyPairs = defineCheck<PairParameters>({
  id: 'default.requiredMetadataKeyPairs',
  doc: 'The request’s metadata has all, any or none of the values, compared exactly, by substring or by pattern.',
  kind: 'metadata',
  stages: ['input'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    {
      metadataPairs: {
        type: 'object',
        minProperties: 1,
        maxProperties: 100,
        additionalProperties: {
          type: ['string', 'array'],
          maxLength: 1_000,
          items: { type: 'string', maxLength: 1_000 },
          maxItems: 100,
        },
      },
      operator: OPERATOR,
      matchType: { enum: ['exact', 'contains', 'containsAll', 'regex'], default: 'exact' },
    },
    ['metadataPairs'],
  ),
  example: { metadataPairs: { environment: ['staging', 'production'] }, operator: 'all', matchType: 'exact' },
  prepare({ metadataPairs, operator, matchType }, report) {
    const tests = Object.entries(metadataPairs).map(([key, wanted]) => {
      const values = typeof wanted === 'string' ? [wanted] : wanted;
      const patterns =
        matchType === 'regex'
          ? values.map((rule) =>
              compileRule(rule, (_, name, message, value) => {
                report(['metadataPairs', key], name, message, value);
              }),
            )
          : [];
      const test = (value: string): boolean => {
        if (matchType === 'regex') return patterns.some((pattern) => pattern.placesNow(value).length > 0);
        if (matchType === 'exact') return values.includes(value);
        const parts = values.map((part) => value.includes(part));
        return matchType === 'containsAll' ? parts.every(Boolean) : parts.some(Boolean);
      };
      return [key, test] as const;
    });
    return {
      evaluate({ facts: { metadata } }) {
        const failing = tests.filter(
          ([key, test]) => !Object.hasOwn(metadata, key) || !test(metadata[key] ?? ''),
        );
        const verdict = decide(operator, tests.length - failing.length, tests.length);
        return { verdict, data: { operator, failing: failing.map(([key]) => key) } };
      },
    };
  },
});
