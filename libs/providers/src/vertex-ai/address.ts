import type { ConfigurationField } from '@gw/contracts';
import { asObject, asString, parseObject } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import { textField } from '../fields';
import { workloadFields } from '../identity/identity';
import type { Credential } from '../provider';

const TYPE = 'vertex_auth_type';
const OF_INSTALLATION = ['workloadIdentity', 'wif'] as const;

export const VERTEX_FIELDS: readonly ConfigurationField[] = [
  textField(TYPE, {
    values: ['basic', 'serviceAccount', ...OF_INSTALLATION],
    keyless: ['serviceAccount', ...OF_INSTALLATION],
    ofInstallation: OF_INSTALLATION,
  }),
  textField('vertex_region', { kind: 'label', maxLength: 63, staysAtProvider: true }),
  textField('vertex_project_id', { kind: 'segment', maxLength: 63, staysAtProvider: true }),
  textField('vertex_service_account_json', {
    kind: 'json',
    secret: true,
    required: { field: TYPE, oneOf: ['serviceAccount'] },
  }),
  textField('wif_service_account_email', { maxLength: 256 }),
  ...workloadFields({ field: TYPE, oneOf: ['wif'] }),
];

/** One label of a host name: anything else would choose another host. */
const REGION = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** One segment of a path; older projects have a domain before a colon. */
const PROJECT = /^[a-z0-9](?:[a-z0-9.:-]{0,126}[a-z0-9])?$/;
const DEFAULT_REGION = 'global';

/** Returns the text of the key file, which configs may contain as an object; null for none. */
export function keyFileOf({ configurations }: Credential): string | null {
  const value = configurations['vertex_service_account_json'];
  const object = asObject(value);
  return object === null ? asString(value) : JSON.stringify(object);
}

/**
 * Returns the project of the settings, or else of the key file; null for calls with a key alone.
 */
export function projectOf(credential: Credential): string | null {
  const set = asString(credential.configurations['vertex_project_id']);
  const project = set ?? asString(parseObject(keyFileOf(credential) ?? '')?.['project_id']);
  if (project === null || PROJECT.test(project)) return project;
  throw new GatewayError('validation_failed', {
    param: 'vertex_project_id',
    message: 'vertex_project_id must be the id of a Google Cloud project.',
  });
}

export function regionOf({ configurations }: Credential): string {
  const region = asString(configurations['vertex_region']) ?? DEFAULT_REGION;
  if (REGION.test(region)) return region;
  throw new GatewayError('validation_failed', {
    param: 'vertex_region',
    message: 'vertex_region must be a region of Google Cloud, such as europe-west4, or global, us or eu.',
  });
}

/** Returns the base URL. Without a project it is that of the express mode, which takes a key. */
export function baseUrlOf(credential: Credential): string {
  const project = projectOf(credential);
  if (project === null) return 'https://aiplatform.googleapis.com/v1';
  const region = regionOf(credential);
  return `https://${hostOf(region)}/v1/projects/${project}/locations/${region}`;
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  const isMulti = region === 'us' || region === 'eu';
  return isMulti ? `aiplatform.${region}.rep.googleapis.com` : `${region}-aiplatform.googleapis.com`;
}
