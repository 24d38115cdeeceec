import { anthropicSpeaker, signVersion } from '../dialects/anthropic/speaker';
import { textField } from '../fields';
import { defineProvider } from '../provider';
import { translatedGeminiRoutes } from '../translation/gemini-routes';
import { translatedRoutes } from '../translation/translated-routes';

const NATIVE = { via: 'native', prefix: '' } as const;

export const anthropic = defineProvider({
  ...anthropicSpeaker,
  id: 'anthropic',
  name: 'Anthropic',
  baseUrl: () => 'https://api.anthropic.com/v1',
  credentialHeaders: ['x-api-key', 'authorization'],
  needsCredential: true,
  sign(headers, credential) {
    if (credential.apiKey !== null) headers.push('x-api-key', credential.apiKey);
    signVersion(headers);
  },
  routes: {
    ...translatedRoutes({ provider: 'anthropic', to: 'anthropic-messages' }),
    ...translatedGeminiRoutes('anthropic', { models: NATIVE }),
    messages: NATIVE,
    'messages.count_tokens': NATIVE,
    models: NATIVE,
    files: NATIVE,
    passthrough: NATIVE,
  },
  priceCatalogueId: 'anthropic',
  batchMillionths: 500_000,
  fields: [textField('anthropic_inspect_stream_for_overloaded_error', { kind: 'boolean' })],
  environmentKey: { variable: 'ANTHROPIC_API_KEY' },
});
