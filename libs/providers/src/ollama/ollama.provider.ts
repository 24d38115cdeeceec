import { GatewayError } from '@gw/kernel';
import { openAiRoutes, openAiSpeaker } from '../dialects/openai/openai-compatible';
import { defineProvider } from '../provider';

/**
 * Runs on the user's own machines: it has no default address, and a key is sent only if one is
 * given.
 */
export const ollama = defineProvider({
  ...openAiSpeaker,
  id: 'ollama',
  name: 'Ollama',
  needsCredential: false,
  baseUrl() {
    throw new GatewayError('validation_failed', {
      message: 'The provider ollama requires a custom_host, such as https://ollama.example.com/v1.',
      param: 'custom_host',
    });
  },
  routes: openAiRoutes(['chat.completions', 'completions', 'embeddings', 'models']),
  priceCatalogueId: null,
});
