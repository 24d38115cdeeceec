import { anthropic } from './anthropic/anthropic.provider';
import { azureAi } from './azure-ai/azure-ai.provider';
import { azureOpenai } from './azure-openai/azure-openai.provider';
import { bedrock } from './bedrock/bedrock.provider';
import { google } from './google/google.provider';
import { openai } from './openai/openai.provider';
import type { Provider } from './provider';
import { ROW_PROVIDERS } from './rows';
import { sandbox } from './sandbox/sandbox.provider';
import { vertex } from './vertex-ai/vertex-ai.provider';

/** Providers by id, in display order. Look-ups also find a provider by an alias; keys are ids. */
class Registry extends Map<string, Provider> {
  private readonly ids: ReadonlyMap<string, string>;

  constructor(providers: readonly Provider[]) {
    super(providers.map((provider) => [provider.id, provider]));
    const names = providers.flatMap(({ id, aliases = [] }) =>
      [id, ...aliases].map((name) => [name, id] as const),
    );
    this.ids = new Map(names);
    if (this.ids.size < names.length) throw new Error('Two providers have the same id.');
  }

  override get(name: string): Provider | undefined {
    const id = this.ids.get(name);
    return id === undefined ? undefined : super.get(id);
  }

  override has(name: string): boolean {
    return this.ids.has(name);
  }
}

/**
 * Returns providers by id and alias, in display order. Throws when two have the same id or alias.
 */
export const registryOf = (providers: readonly Provider[]): ReadonlyMap<string, Provider> =>
  new Registry(providers);

/**
 * Every provider of the product. A provider with its own folder has a line here; the others have a
 * row in `rows/`.
 */
export const PROVIDERS = registryOf([
  openai,
  anthropic,
  azureOpenai,
  azureAi,
  google,
  vertex,
  bedrock,
  ...ROW_PROVIDERS,
  sandbox,
]);
