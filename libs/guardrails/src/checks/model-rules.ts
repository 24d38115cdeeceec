import { defineCheck } from '../check';
import { NOT_PARAMETER, object, textList } from '../parameters';
import { isListed } from './model-whitelist';

interface Parameters {
  readonly rules: {
    readonly defaults?: readonly string[];
    readonly metadata?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  };
  readonly not: boolean;
}

export const modelRules = defineCheck<Parameters>({
  id: 'default.modelRules',
  doc: 'The model is allowed by the request’s metadata, or by the defaults if no metadata matches.',
  kind: 'params',
  stages: ['input'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object(
    {
      rules: {
        type: 'object',
        properties: {
          defaults: textList(1_000),
          metadata: {
            type: 'object',
            maxProperties: 100,
            additionalProperties: {
              type: 'object',
              maxProperties: 1_000,
              additionalProperties: textList(1_000),
            },
          },
        },
        minProperties: 1,
        additionalProperties: false,
      },
      not: NOT_PARAMETER,
    },
    ['rules'],
  ),
  example: {
    rules: { defaults: ['gpt-4o-mini'], metadata: { team: { research: ['gpt-4o', 'o3'] } } },
    not: false,
  },
  prepare({ rules, not }) {
    const tables = Object.entries(rules.metadata ?? {}).map(
      ([key, values]) => [key, new Map(Object.entries(values))] as const,
    );
    return {
      evaluate({ facts: { model, provider, savedProvider, metadata } }) {
        const matching = tables.flatMap(([key, values]) => {
          const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
          const models = value === undefined ? undefined : values.get(value);
          return models ? [models] : [];
        });
        const allowed = new Set(matching.length > 0 ? matching.flat() : (rules.defaults ?? []));
        return { verdict: isListed(allowed, model, savedProvider ?? provider) !== not, data: { model, not } };
      },
    };
  },
});
