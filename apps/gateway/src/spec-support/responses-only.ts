import { PROVIDERS, registryOf, type Provider } from '@gw/providers';

/** OpenAI as it serves models of the Responses API alone, also at a custom host. */
const RESPONSES_ONLY = 'responses-only';

/** All providers, and the one above. */
export function withResponsesOnly(): ReadonlyMap<string, Provider> {
  const served = PROVIDERS.get('openai')?.forCall?.({ model: 'gpt-5-codex', customHost: null });
  if (served === undefined) throw new Error('OpenAI has no models of the Responses API alone.');
  return registryOf([...PROVIDERS.values(), { ...served, id: RESPONSES_ONLY }]);
}
