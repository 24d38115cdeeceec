import { openAiRoutes, openAiSpeaker, withTranslatedRoutes } from '../dialects/openai/openai-compatible';
import { defineProvider } from '../provider';
import { googleTap } from './google-tap';
import { googleUsage } from './google-usage';

/**
 * Built-in routes use Gemini's OpenAI-compatible paths; passthrough reaches the native ones under
 * the same base.
 */
export const google = defineProvider({
  ...openAiSpeaker,
  id: 'google',
  aliases: ['google-ai-studio', 'gemini'],
  name: 'Google Gemini',
  baseUrl: () => 'https://generativelanguage.googleapis.com/v1beta',
  credentialHeaders: ['x-goog-api-key', 'authorization'],
  sign(headers, credential) {
    if (credential.apiKey !== null) headers.push('x-goog-api-key', credential.apiKey);
  },
  routes: withTranslatedRoutes(
    'google',
    openAiRoutes(['chat.completions', 'embeddings', 'models', 'images.generations'], '/openai'),
  ),
  usage: googleUsage,
  tap: googleTap,
  priceCatalogueId: 'google',
  batchMillionths: 500_000,
  environmentKey: { variable: 'GEMINI_API_KEY' },
  telemetryName: 'gcp.gemini',
});
