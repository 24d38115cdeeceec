import { bareModel, unsupported } from '@gw/dialects';
import type { GatewayError } from '@gw/kernel';
import type { Provider } from './provider';

/** Feature that a request may use and some models do not support. */
export type Lack = 'image' | 'tools' | 'jsonSchema';

/**
 * Models that refuse images, tools or a response schema. A model without a row may support all of
 * them, so it is always called. Aliases that a vendor moves to newer models have no row. Source:
 * the model lists of OpenAI, Meta, Mistral, Cohere, DeepSeek and Moonshot, November 2026.
 */
const ROWS: readonly (readonly [models: RegExp, lacks: readonly Lack[]])[] = [
  [/^gpt-3\.5-turbo(?:-\d{4}|-16k)?$/, ['image', 'jsonSchema']],
  [/^gpt-4(?:-32k)?(?:-0314|-0613)?$/, ['image', 'jsonSchema']],
  [/^gpt-4-(?:1106|0125|turbo)-preview$/, ['image', 'jsonSchema']],
  [/^gpt-4-turbo(?:-2024-04-09)?$/, ['jsonSchema']],
  [/^gpt-4o-2024-05-13$/, ['jsonSchema']],
  [/^o1-(?:mini|preview)(?:-2024-09-12)?$/, ['image', 'tools', 'jsonSchema']],
  [/^o3-mini(?:-2025-01-31)?$/, ['image']],
  [/^gpt-oss-\d+b(?:-1:0)?$/, ['image']],
  [/^(?:meta\.)?(?:meta-)?llama-?v?3(?:[.p-][13])?-\d+b-(?:instruct|instant|versatile)/, ['image']],
  [/^(?:open-)?mixtral-8x\d+b/, ['image']],
  [/^command-(?:r7b|r-plus|r-08|a-03)/, ['image']],
  [/^deepseek-(?:r1|v3)/, ['image']],
  [/^kimi-k2-(?:instruct|0711|0905|thinking)/, ['image']],
];
const NONE: readonly Lack[] = [];
/** Maximum length of a model name that is looked up. */
const CHARACTERS_MAX = 256;

const NAMES: Readonly<Record<Lack, string>> = {
  image: 'pictures',
  tools: 'tools',
  jsonSchema: 'a JSON schema of the response',
};

/**
 * Returns the features that a model at a provider is known not to support. Empty for self-hosted
 * providers and for Azure, whose operators name the models or deployments.
 */
export function lacksOf({ priceCatalogueId }: Provider, model: string): readonly Lack[] {
  if (priceCatalogueId === null || priceCatalogueId === 'azure' || model.length > CHARACTERS_MAX) return NONE;
  const name = bareModel(model);
  return ROWS.find(([models]) => models.test(name))?.[1] ?? NONE;
}

/**
 * Returns the error for a call that requires a feature its model lacks; null when it lacks none.
 */
export function refusalOfLacks(
  provider: Provider,
  model: string,
  demands: Readonly<Record<Lack, boolean>>,
): GatewayError | null {
  const lacking = lacksOf(provider, model).filter((lack) => demands[lack]);
  if (lacking.length === 0) return null;
  const names = lacking.map((lack) => NAMES[lack]).join(' or ');
  const message = `The model ${model} does not take ${names}; use another model, or leave that out.`;
  return unsupported({ provider: provider.id, model }, [{ path: 'model', message }]);
}
