import { openAiRoutes, openAiSpeaker, withTranslatedRoutes } from '../dialects/openai/openai-compatible';
import { defineProvider } from '../provider';
import { respondLocally } from './response';

/**
 * A stand-in that responds in OpenAI's shapes without a network, a key or cost: for first requests,
 * tests and measurements.
 * Equal inputs get equal outputs, and every response says that it comes from the sandbox.
 */
export const sandbox = defineProvider({
  ...openAiSpeaker,
  id: 'sandbox',
  name: 'Sandbox (built in, needs no account)',
  // Never connected to, because `local` responds instead.
  baseUrl: () => 'http://sandbox.invalid/v1',
  needsCredential: false,
  sign: () => undefined,
  routes: withTranslatedRoutes(
    'sandbox',
    openAiRoutes(['chat.completions', 'completions', 'embeddings', 'moderations', 'models']),
  ),
  priceCatalogueId: null,
  local: { respond: respondLocally },
});
