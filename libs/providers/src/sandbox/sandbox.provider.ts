import { openAiRoutes, openAiSpeaker } from '../dialects/openai/openai-compatible';
import { defineProvider } from '../provider';
import { answerLocally } from './answer';

/**
 * A stand-in that answers in OpenAI's shapes without a network, a key or a cost: for a first request, for tests and for
 * measuring. The same input always gets the same output, and every answer says that it comes from the sandbox.
 */
export const sandbox = defineProvider({
  ...openAiSpeaker,
  id: 'sandbox',
  name: 'Sandbox (built in, answers without an account)',
  // Never dialled: `local` answers instead.
  baseUrl: () => 'http://sandbox.invalid/v1',
  needsCredential: false,
  sign: () => undefined,
  routes: openAiRoutes(['chat.completions', 'completions', 'embeddings', 'moderations', 'models']),
  priceCatalogueId: null,
  local: { answer: answerLocally },
});
