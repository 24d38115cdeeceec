import type { ConfigurationField } from '@gw/contracts';
import { asString } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import { anthropicSpeaker, signVersion } from '../dialects/anthropic/speaker';
import { replaceHeader } from '../dialects/headers';
import {
  AUDIO_ROUTES,
  openAiRoutes,
  openAiSpeaker,
  withTranslatedRoutes,
} from '../dialects/openai/openai-compatible';
import { textField } from '../fields';
import { AZURE_CREDENTIAL_FIELDS, azureIdentity } from '../identity/azure';
import { defineProvider, type Credential, type HeaderList, type Provider } from '../provider';
import { translatedRoutes } from '../translation/translated-routes';

const ID = 'azure-ai';
/** Version of the model inference API, whose paths begin with `/models`. */
const INFERENCE_VERSION = '2024-05-01-preview';

const FIELDS: readonly ConfigurationField[] = [
  { name: 'azure_foundry_url', kind: 'url', secret: false, required: true },
  textField('azure_api_version', { maxLength: 30 }),
  textField('azure_deployment_name', { maxLength: 255 }),
  textField('azure_extra_params', { values: ['drop', 'pass-through', 'error'] }),
  ...AZURE_CREDENTIAL_FIELDS,
];

/** Returns the saved URL of the resource or endpoint, without a trailing slash. */
function foundryUrl({ configurations }: Credential): URL {
  const text = asString(configurations['azure_foundry_url']);
  if (text !== null && URL.canParse(text)) return new URL(text);
  throw new GatewayError('validation_failed', {
    param: 'azure_foundry_url',
    message:
      'azure_foundry_url must be the URL of the endpoint, such as https://my-resource.services.ai.azure.com/openai/v1.',
  });
}

const pathOf = (url: URL): string => url.pathname.replace(/(?<!\/)\/+$/, '');
const isInference = (credential: Credential): boolean => pathOf(foundryUrl(credential)).endsWith('/models');

/**
 * Appends the credential. The inference API expects a key in the header `api-key`, the others as a
 * bearer token.
 */
function sign(headers: HeaderList, credential: Credential): void {
  const { apiKey, configurations } = credential;
  const isKey = (configurations['azure_auth_mode'] ?? 'default') === 'default';
  if (apiKey !== null && isKey && isInference(credential)) headers.push('api-key', apiKey);
  else if (apiKey !== null) headers.push('authorization', `Bearer ${apiKey}`);
  replaceHeader(headers, 'extra-parameters', asString(configurations['azure_extra_params']) ?? 'drop');
  const deployment = asString(configurations['azure_deployment_name']);
  if (deployment !== null) replaceHeader(headers, 'azureml-model-deployment', deployment);
}

const common = {
  id: ID,
  name: 'Azure AI Foundry',
  credentialHeaders: ['authorization', 'api-key', 'x-api-key'],
  needsCredential: true,
  identity: azureIdentity,
  priceCatalogueId: 'azure',
  telemetryName: 'azure.ai.inference',
} as const satisfies Partial<Provider>;

const NATIVE = { via: 'native', prefix: '' } as const;

/** Claude, which a resource serves by the Messages API, next to its other APIs. */
const claude = defineProvider({
  ...anthropicSpeaker,
  ...common,
  baseUrl: (credential) => `${foundryUrl(credential).origin}/anthropic/v1`,
  sign(headers, { apiKey, configurations }) {
    const isKey = (configurations['azure_auth_mode'] ?? 'default') === 'default';
    if (apiKey !== null && isKey) headers.push('x-api-key', apiKey);
    else if (apiKey !== null) headers.push('authorization', `Bearer ${apiKey}`);
    signVersion(headers);
  },
  routes: {
    ...translatedRoutes({ provider: ID, to: 'anthropic-messages' }),
    messages: NATIVE,
    'messages.count_tokens': NATIVE,
    passthrough: NATIVE,
  },
});

/**
 * Models of Azure AI Foundry, at a resource (`…/openai/v1`, `…/models`) or a serverless endpoint
 * (`…/v1`).
 */
export const azureAi = defineProvider({
  ...openAiSpeaker,
  ...common,
  usageOnRequest: true,
  baseUrl(credential) {
    const url = foundryUrl(credential);
    return url.origin + pathOf(url);
  },
  query(credential): Readonly<Record<string, string>> {
    const version = asString(credential.configurations['azure_api_version']);
    const needed = version ?? (isInference(credential) ? INFERENCE_VERSION : null);
    return needed === null ? {} : { 'api-version': needed };
  },
  sign,
  forCall: ({ model }) => (model?.startsWith('claude-') === true ? claude : undefined),
  routes: withTranslatedRoutes(
    ID,
    openAiRoutes([
      'chat.completions',
      'completions',
      'embeddings',
      ...AUDIO_ROUTES,
      'images.generations',
      'images.edits',
      'models',
      'files',
      'batches',
      'responses',
    ]),
  ),
  fields: FIELDS,
});
