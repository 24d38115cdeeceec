import { asString } from '@gw/dialects';
import { replaceHeader } from '../dialects/headers';
import {
  AUDIO_ROUTES,
  openAiRoutes,
  withTranslatedRoutes,
  openAiSpeaker,
  signBearer,
} from '../dialects/openai/openai-compatible';
import { textField } from '../fields';
import { defineProvider, type Provider } from '../provider';
import { translatedRoutes } from '../translation/translated-routes';
import { regionField, regionOf } from '../rows/settings';

const REGIONS = {
  eu: { base: 'https://eu.api.openai.com/v1' },
  us: { base: 'https://us.api.openai.com/v1' },
} as const;

const common = {
  ...openAiSpeaker,
  id: 'openai',
  usageOnRequest: true,
  name: 'OpenAI',
  baseUrl(credential) {
    const region = regionOf({ regions: REGIONS }, credential);
    return region === null ? 'https://api.openai.com/v1' : REGIONS[region as keyof typeof REGIONS].base;
  },
  betaHeader: 'openai-beta',
  sign(headers, credential) {
    signBearer(headers, credential);
    const organization = asString(credential.configurations['openai_organization']);
    const project = asString(credential.configurations['openai_project']);
    if (organization !== null) replaceHeader(headers, 'openai-organization', organization);
    if (project !== null) replaceHeader(headers, 'openai-project', project);
  },
  priceCatalogueId: 'openai',
  batchMillionths: 500_000,
  fields: [textField('openai_organization'), textField('openai_project'), regionField(REGIONS)],
  environmentKey: { variable: 'OPENAI_API_KEY' },
} as const satisfies Partial<Provider>;

/**
 * Models that only the Responses API serves. The name of a fine-tuned model ends in a text of its
 * owner.
 */
const RESPONSES_ONLY = /^(?!ft:)(?:.*[-/])?(?:codex|deep-research|pro)(?:-|$)/;

/** Serves those models to clients of all dialects through the Responses API. */
const responsesOnly = defineProvider({
  ...common,
  routes: {
    ...openAiRoutes(['responses']),
    ...translatedRoutes({ provider: 'openai', to: 'openai-responses' }),
  },
});

export const openai = defineProvider({
  ...common,
  // Another host has other models, and may have no Responses API.
  forCall: ({ model, customHost }) =>
    customHost === null && model !== null && RESPONSES_ONLY.test(model) ? responsesOnly : undefined,
  routes: withTranslatedRoutes(
    'openai',
    openAiRoutes([
      'chat.completions',
      'completions',
      'embeddings',
      'moderations',
      'models',
      ...AUDIO_ROUTES,
      'images.generations',
      'images.edits',
      'images.variations',
      'files',
      'batches',
      'fine_tuning',
      'assistants',
      'threads',
      'vector_stores',
      'responses',
      'realtime',
    ]),
  ),
});
