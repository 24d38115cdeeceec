import { asObject, asString } from '@gw/dialects';
import type { ConfigurationField, RouteKind } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import {
  AUDIO_ROUTES,
  openAiRoutes,
  openAiSpeaker,
  withTranslatedRoutes,
} from '../dialects/openai/openai-compatible';
import { AZURE_CREDENTIAL_FIELDS, azureIdentity } from '../identity/azure';
import { textField } from '../fields';
import { defineProvider, type Credential } from '../provider';

/** API version that is sent to a deployment when the configurations name none. */
const DEFAULT_API_VERSION = '2024-10-21';
const RESOURCE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/i;

/**
 * Returns the resource name, which becomes part of a host name. Anything but one DNS label would
 * choose another host.
 */
function resourceName(credential: Credential): string {
  const name = asString(credential.configurations['azure_resource_name']);
  if (name !== null && RESOURCE_NAME.test(name)) return name;
  throw new GatewayError('validation_failed', {
    message: 'azure_resource_name must be the name of the resource: letters, digits and hyphens only.',
    param: 'azure_resource_name',
  });
}

interface Deployment {
  readonly name: string;
  readonly apiVersion: string;
}

/**
 * Returns the deployment for a model: the entry of `azure_deployment_config` whose alias, model or
 * name matches, else the default entry, else the first, else `azure_deployment_name`. Null when
 * none is configured.
 */
function deploymentOf({ configurations }: Credential, model: string | null): Deployment | null {
  const list = configurations['azure_deployment_config'];
  const entries = (Array.isArray(list) ? list : []).map(asObject).filter((entry) => entry !== null);
  const named =
    model === null
      ? undefined
      : entries.find((entry) => MODEL_FIELDS.some((field) => entry[field] === model));
  const chosen =
    named ?? entries.find((entry) => entry['is_default'] === true) ?? entries[0] ?? configurations;
  const name = asString(chosen['azure_deployment_name']);
  const version = asString(chosen['azure_api_version']);
  return name === null ? null : { name, apiVersion: version ?? DEFAULT_API_VERSION };
}

const MODEL_FIELDS = ['alias', 'azure_model_slug', 'azure_deployment_name'] as const;

/** Routes that a deployment serves; all others belong to the resource. */
const DEPLOYED = [
  'chat.completions',
  'completions',
  'embeddings',
  ...AUDIO_ROUTES,
  'images.generations',
  'images.edits',
] as const;

/** Calls in other dialects, which are translated to routes that a deployment serves. */
const TRANSLATED = ['messages', 'gemini.generate', 'gemini.embed'] as const;
const AT_DEPLOYMENT: ReadonlySet<RouteKind> = new Set(['passthrough', ...DEPLOYED, ...TRANSLATED]);

const AZURE_FIELDS: readonly ConfigurationField[] = [
  textField('azure_resource_name', { kind: 'label', required: true, maxLength: 63 }),
  textField('azure_deployment_config', { kind: 'azure_deployments', required: true }),
  ...AZURE_CREDENTIAL_FIELDS,
];

/**
 * Azure OpenAI.
 * With a deployment, the address contains its name and the query `api-version`. Without one, the
 * `v1` API is called, where the request's `model` is the deployment and no version is needed. In
 * any `azure_auth_mode` but `default` calls carry a token of Entra.
 */
export const azureOpenai = defineProvider({
  ...openAiSpeaker,
  id: 'azure-openai',
  usageOnRequest: true,
  aliases: ['azure'],
  name: 'Azure OpenAI',
  baseUrl(credential, model = null, kind = 'passthrough') {
    const root = `https://${resourceName(credential)}.openai.azure.com/openai`;
    const deployment = deploymentOf(credential, model);
    if (deployment === null) return `${root}/v1`;
    return AT_DEPLOYMENT.has(kind) ? `${root}/deployments/${encodeURIComponent(deployment.name)}` : root;
  },
  query(credential, model = null, kind = 'passthrough'): Readonly<Record<string, string>> {
    const deployment = deploymentOf(credential, model);
    // Realtime belongs to the resource and takes its deployment in the query.
    const named = kind === 'realtime' && deployment !== null ? { deployment: deployment.name } : {};
    const version = deployment?.apiVersion ?? asString(credential.configurations['azure_api_version']);
    return version === null ? named : { 'api-version': version, ...named };
  },
  credentialHeaders: ['api-key', 'authorization', 'ocp-apim-subscription-key'],
  sign(headers, credential) {
    if (credential.apiKey === null) return;
    const mode = credential.configurations['azure_auth_mode'] ?? 'default';
    if (mode === 'default') headers.push('api-key', credential.apiKey);
    else headers.push('authorization', `Bearer ${credential.apiKey}`);
  },
  identity: azureIdentity,
  routes: withTranslatedRoutes(
    'azure-openai',
    openAiRoutes([
      ...DEPLOYED,
      'models',
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
  priceCatalogueId: 'azure',
  batchMillionths: 500_000,
  fields: AZURE_FIELDS,
  telemetryName: 'azure.ai.openai',
});
