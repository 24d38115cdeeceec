import type { CloudIdentity, Usage } from '@gw/contracts';
import { asObject, asString } from '@gw/dialects';
import { anthropicSpeaker } from '../dialects/anthropic/speaker';
import { removeHeader } from '../dialects/headers';
import { openAiSpeaker, withTranslatedRoutes } from '../dialects/openai/openai-compatible';
import { openAiUsage } from '../dialects/openai/usage';
import { googleTap } from '../google/google-tap';
import { googleUsage } from '../google/google-usage';
import { workloadTokenOf } from '../identity/identity';
import {
  defineProvider,
  type Credential,
  type HeaderList,
  type JsonObject,
  type Provider,
} from '../provider';
import { familyRoutes } from '../translation/family-routes';
import { nativeGeminiRoutes, translatedGeminiRoutes } from '../translation/gemini-routes';
import { translatedRoutes } from '../translation/translated-routes';
import { baseUrlOf, keyFileOf, projectOf, VERTEX_FIELDS } from './address';
import { claudeRoutes, isClaude } from './claude';

const ID = 'vertex-ai';

/** A key with a project is an access token; a key alone is one of the express mode. */
function sign(headers: HeaderList, credential: Credential): void {
  const { apiKey } = credential;
  if (apiKey === null) return;
  if (projectOf(credential) === null) headers.push('x-goog-api-key', apiKey);
  else headers.push('authorization', `Bearer ${apiKey}`);
}

function identity(credential: Credential): CloudIdentity | null {
  const { apiKey, configurations } = credential;
  if (apiKey !== null) return null;
  const type = configurations['vertex_auth_type'];
  if (type === 'workloadIdentity') return { kind: 'google_own' };
  if (type === 'wif') {
    const serviceAccount = asString(configurations['wif_service_account_email']);
    return { kind: 'google_workload', token: workloadTokenOf(credential), serviceAccount };
  }
  const json = keyFileOf(credential);
  return json === null ? null : { kind: 'google_key', json };
}

const common = {
  id: ID,
  name: 'Google Vertex AI',
  baseUrl: baseUrlOf,
  credentialHeaders: ['authorization', 'x-goog-api-key'],
  needsCredential: true,
  sign,
  identity,
  priceCatalogueId: 'google',
  telemetryName: 'gcp.vertex_ai',
} as const satisfies Partial<Provider>;

/** Vertex AI has no list of models in Gemini's form. */
const { 'gemini.list': _list, ...gemini } = nativeGeminiRoutes(ID);
const families = familyRoutes(ID, {
  embeddings: 'vertex',
  images: (model) => (/(?:^|\/)imagen/.test(model) ? 'vertex-imagen' : 'gemini-image'),
});

const claude = defineProvider({
  ...anthropicSpeaker,
  ...common,
  // The version is in the body, and a header with another one is refused.
  sign(headers, credential) {
    removeHeader(headers, 'anthropic-version');
    sign(headers, credential);
  },
  routes: claudeRoutes(ID),
});

const openModels = defineProvider({
  ...openAiSpeaker,
  ...common,
  routes: withTranslatedRoutes(ID, {
    'chat.completions': { via: 'native', prefix: '/endpoints/openapi' },
    passthrough: { via: 'native', prefix: '' },
  }),
});

/**
 * Returns the sum of the tokens that `predict` reports for each text; null when a count is missing.
 */
function usageOfPredictions({ predictions }: JsonObject): Usage | null {
  if (!Array.isArray(predictions)) return null;
  const counts = predictions.map((prediction) => {
    const { statistics } = asObject(asObject(prediction)?.['embeddings']) ?? {};
    return asObject(statistics)?.['token_count'];
  });
  if (counts.length === 0 || !counts.every((count) => typeof count === 'number')) return null;
  return openAiUsage({ usage: { prompt_tokens: counts.reduce((sum, count) => sum + count, 0) } });
}

/**
 * A publisher and a model, as Vertex names the open models that it serves: `meta/llama-4-…-maas`.
 */
const OPEN_MODEL = /^(?!google\/|anthropic\/|publishers\/|projects\/|models\/|endpoints\/)[a-z0-9-]+\/[^/]+$/;

/**
 * Returns the provider for a model of another publisher than Google; undefined for Google's models.
 */
function ofPublisher(model: string): Provider | undefined {
  if (isClaude(model)) return claude;
  return OPEN_MODEL.test(model) ? openModels : undefined;
}

/**
 * Google Vertex AI: Gemini in its own dialect, Claude by `rawPredict`, open models by their chat
 * completions.
 */
export const vertex = defineProvider({
  ...openAiSpeaker,
  ...common,
  aliases: ['vertex', 'google-vertex-ai'],
  fields: VERTEX_FIELDS,
  forCall: ({ model }) => (model === null ? undefined : ofPublisher(model)),
  routes: {
    ...translatedRoutes({ provider: ID, to: 'gemini' }),
    ...families,
    ...gemini,
    ...translatedGeminiRoutes(ID, families),
    passthrough: { via: 'native', prefix: '' },
  },
  usage: (body) => googleUsage(body) ?? usageOfPredictions(body),
  tap: googleTap,
});
