import { defineCheck } from '../check';
import { NOT_PARAMETER, object, textList } from '../parameters';

export const modelWhitelist = defineCheck<{ models: readonly string[]; not: boolean }>({
  id: 'default.modelWhitelist',
  doc: 'The model is in the list; with `not`, it is not. `@provider/model` and `@provider/*` also match the provider.',
  kind: 'params',
  stages: ['input'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({ models: { ...textList(1_000), minItems: 1 }, not: NOT_PARAMETER }, ['models']),
  example: { models: ['gpt-4o-mini', '@azure-eu/*'], not: false },
  prepare({ models, not }) {
    const allowed = new Set(models);
    return {
      evaluate({ facts: { model, provider, savedProvider } }) {
        const listed = isListed(allowed, model, savedProvider ?? provider);
        return { verdict: listed !== not, data: { model, not } };
      },
    };
  },
});

/**
 * Returns whether a model is listed. Entries that name a model (or provider) do not match a request
 * without one.
 */
export function isListed(
  models: ReadonlySet<string>,
  model: string | null,
  provider: string | null,
): boolean {
  if (model !== null && models.has(model)) return true;
  if (provider === null) return false;
  const slug = provider.replace(/^@/, '');
  return models.has(`@${slug}/*`) || (model !== null && models.has(`@${slug}/${model}`));
}
