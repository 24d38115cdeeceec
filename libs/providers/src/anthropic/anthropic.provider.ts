import { anthropicError } from '../dialects/anthropic/error';
import { anthropicTap } from '../dialects/anthropic/tap';
import { anthropicUsage } from '../dialects/anthropic/usage';
import { hasHeader } from '../dialects/headers';
import { textField } from '../fields';
import { defineProvider } from '../provider';
import { chatTranslator } from './chat/translator';

/** The only stable API version; a caller's own `anthropic-version` header takes precedence. */
const ANTHROPIC_VERSION = '2023-06-01';
const NATIVE = { via: 'native', prefix: '' } as const;

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
    messages: NATIVE,
    'messages.count_tokens': NATIVE,
    models: NATIVE,
    files: NATIVE,
    passthrough: NATIVE,
  },
  usage: anthropicUsage,
  tap: anthropicTap,
  error: anthropicError,
  prefill: true,
  priceCatalogueId: 'anthropic',
  batchMillionths: 500_000,
  fields: [textField('anthropic_inspect_stream_for_overloaded_error', { kind: 'boolean' })],
  environmentKey: { variable: 'ANTHROPIC_API_KEY' },
});
