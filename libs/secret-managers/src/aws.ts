import type { IdentityTools } from '@gw/cloud-identities';
import { assumeRole, AWS_DENIED, ownAwsKeys } from '@gw/cloud-identities';
import type { SecretLocation } from '@gw/contracts';
import {
  assertOk,
  propertyOf,
  signAws,
  textOf,
  VendorError,
  type AwsCredentials,
  type VendorResponse,
} from '@gw/kernel';
import type { SecretManagerSettings } from './settings';

export interface AwsTools extends IdentityTools {
  readonly settings: SecretManagerSettings;
}

const MANAGER = 'AWS Secrets Manager';
/** Ends of the error types that AWS returns with status 400. */
const NOT_FOUND = /ResourceNotFoundException"?$/;

/** Reads the current version of a secret in AWS Secrets Manager (GetSecretValue). */
export async function readFromAws({ auth, path }: SecretLocation, tools: AwsTools): Promise<string> {
  const region = textOf(auth['aws_region'], 'The auth_config');
  const credentials = await credentialsFor(auth, region, tools);
  const url = new URL(
    tools.settings.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? `https://secretsmanager.${region}.${suffix(region)}/`,
  );
  const body = JSON.stringify({ SecretId: path });
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'secretsmanager.GetSecretValue',
  };
  const request = { method: 'POST', url, headers, body, region, service: 'secretsmanager' } as const;
  const response = await tools.calls.vendors({
    url: url.href,
    method: 'POST',
    headers: await signAws(request, credentials, new Date(tools.now())),
    body,
  });
  assertSuccess(response);
  const text = propertyOf(response.text, 'SecretString');
  if (typeof text === 'string') return text;
  return Buffer.from(textOf(propertyOf(response.text, 'SecretBinary'), MANAGER), 'base64').toString('utf8');
}

const suffix = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

function assertSuccess(response: VendorResponse): void {
  const type = String(propertyOf(response.text, '__type'));
  if (response.status === 400 && NOT_FOUND.test(type))
    throw new VendorError('not_found', `${MANAGER} has no such secret.`);
  if (response.status === 400 && AWS_DENIED.test(type))
    throw new VendorError('denied', `${MANAGER} refused the credential.`);
  assertOk(response, MANAGER);
}

async function credentialsFor(
  auth: SecretLocation['auth'],
  region: string,
  tools: AwsTools,
): Promise<AwsCredentials> {
  if (auth['aws_auth_type'] === 'accessKey') {
    return {
      accessKeyId: textOf(auth['aws_access_key_id'], 'The auth_config'),
      secretAccessKey: textOf(auth['aws_secret_access_key'], 'The auth_config'),
      sessionToken: null,
    };
  }
  const own = await ownKeys(region, tools);
  if (auth['aws_auth_type'] !== 'assumedRole') return own;
  const role = { region, roleArn: textOf(auth['aws_role_arn'], 'The auth_config') };
  return keysOf(await assumeRole(role, auth['aws_external_id'] ?? null, own, tools));
}

/**
 * Gets the installation's own keys. Everything on a container or machine shares their identities,
 * so the operator must allow those.
 */
async function ownKeys(region: string, tools: AwsTools): Promise<AwsCredentials> {
  const { settings } = tools;
  const isGiven =
    (settings.AWS_ACCESS_KEY_ID !== null && settings.AWS_SECRET_ACCESS_KEY !== null) ||
    (settings.AWS_ROLE_ARN !== null && settings.AWS_WEB_IDENTITY_TOKEN_FILE !== null);
  if (!isGiven && !settings.ALLOW_AMBIENT_CLOUD_CREDENTIALS)
    throw new VendorError('refused', 'The installation has no AWS identity of its own.');
  return keysOf(await ownAwsKeys(region, tools));
}

function keysOf({ credential }: Awaited<ReturnType<typeof ownAwsKeys>>): AwsCredentials {
  if (credential.kind === 'aws') return credential.keys;
  throw new VendorError('invalid', 'AWS sent no keys.');
}
