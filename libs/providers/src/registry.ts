import { anthropic } from './anthropic/anthropic.provider';
import { azureOpenai } from './azure-openai/azure-openai.provider';
import { cohere } from './cohere/cohere.provider';
import { google } from './google/google.provider';
import { ollama } from './ollama/ollama.provider';
import { OPENAI_COMPATIBLE } from './openai-compatible';
import { openai } from './openai/openai.provider';
import type { Provider } from './provider';
import { sandbox } from './sandbox/sandbox.provider';

/** Returns providers by id, in display order. Throws when two have the same id. */
export function registryOf(providers: readonly Provider[]): ReadonlyMap<string, Provider> {
  const registry = new Map(providers.map((provider) => [provider.id, provider]));
  if (registry.size < providers.length) throw new Error('Two providers have the same id.');
  return registry;
}

/**
 * Every provider of the product. A provider with its own folder has a line here; the others have a
 * row in their table.
 */
export const PROVIDERS = registryOf([
  openai,
  anthropic,
  azureOpenai,
  google,
  ...OPENAI_COMPATIBLE,
  cohere,
  ollama,
  sandbox,
]);
