import { anthropicError } from '../dialects/anthropic/error';
import { anthropicTap } from '../dialects/anthropic/tap';
import { anthropicUsage } from '../dialects/anthropic/usage';
import { hasHeader } from '../dialects/headers';
import { defineProvider } from '../provider';
import { chatTranslator } from './chat/translator';

/** The only stable version of the API; a caller who knows another sends it. */
const ANTHROPIC_VERSION = '2023-06-01';

export const anthropic = defineProvider({
  id: 'anthropic',
  name: 'Anthropic',
  baseUrl: () => 'https://api.anthropic.com/v1',
  credentialHeaders: ['x-api-key', 'authorization'],
  needsCredential: true,
  betaHeader: 'anthropic-beta',
  sign(headers, credential) {
    if (credential.apiKey !== null) headers.push('x-api-key', credential.apiKey);
    if (!hasHeader(headers, 'anthropic-version')) headers.push('anthropic-version', ANTHROPIC_VERSION);
  },
  routes: {
    'chat.completions': { via: 'translated', path: '/messages', translator: chatTranslator },
    messages: { via: 'native', path: '/messages' },
    'messages.count_tokens': { via: 'native', path: '/messages/count_tokens' },
    models: { via: 'native', path: '/models' },
    passthrough: { via: 'native', path: '' },
  },
  usage: anthropicUsage,
  tap: anthropicTap,
  error: anthropicError,
  priceCatalogueId: 'anthropic',
});
