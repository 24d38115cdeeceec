import { openAiRoutes, openAiSpeaker } from '../dialects/openai/openai-compatible';
import { defineProvider } from '../provider';
import { nativeGeminiRoutes } from '../translation/gemini-routes';
import { translatedRoutes } from '../translation/translated-routes';
import { googleTap } from './google-tap';
import { googleUsage } from './google-usage';

/**
 * Routes of OpenAI's dialect use Gemini's OpenAI-compatible paths. Clients of other dialects are
 * translated to Gemini's own, which passthrough reaches too.
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
  routes: {
    ...translatedRoutes({ provider: 'google', to: 'gemini' }),
    ...nativeGeminiRoutes('google'),
    ...openAiRoutes(['chat.completions', 'embeddings', 'models', 'images.generations'], '/openai'),
  },
  usage: googleUsage,
  tap: googleTap,
  priceCatalogueId: 'google',
  batchMillionths: 500_000,
  environmentKey: { variable: 'GEMINI_API_KEY' },
  telemetryName: 'gcp.gemini',
});
