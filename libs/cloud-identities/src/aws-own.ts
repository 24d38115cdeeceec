import { assertOk, propertyOf, textOf, VendorError, type VendorResponse } from '@gw/kernel';
import { assumeRoleWithToken } from './aws-sts';
import { expiryOf } from './token-response';
import type { IdentityTools, Issued } from './tools';

/** Lifetime of static keys in the cache. */
const STATIC_MS = 3_600_000;
const CONTAINER_ORIGIN = 'http://169.254.170.2';
/**
 * Hosts that may serve the credentials of a container over plain HTTP, as the SDKs of AWS have
 * them.
 */
const CONTAINER_HOSTS: ReadonlySet<string> = new Set([
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
  'localhost',
  '127.0.0.1',
  '[::1]',
]);
const METADATA = 'The metadata service of EC2';
const CONTAINER = 'The credential service of the container';

/**
 * Gets the installation's own keys. Sources in the order of AWS's own tools: the environment, the
 * service account's token, the container, the machine. @throws VendorError
 */
export async function ownAwsKeys(region: string, tools: IdentityTools): Promise<Issued> {
  const { settings, now } = tools;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (accessKeyId !== null && secretAccessKey !== null) {
    const keys = { accessKeyId, secretAccessKey, sessionToken: settings.AWS_SESSION_TOKEN };
    return { credential: { kind: 'aws', keys }, expiresAt: now() + STATIC_MS };
  }
  const { AWS_ROLE_ARN: roleArn, AWS_WEB_IDENTITY_TOKEN_FILE: file } = settings;
  if (roleArn !== null && file !== null)
    return assumeRoleWithToken({ region, roleArn }, (await tools.readFile(file)).trim(), tools);
  const container = containerUrl(tools);
  if (container !== null) return containerKeys(container, tools);
  if (!settings.AWS_EC2_METADATA_DISABLED) return machineKeys(tools);
  throw new VendorError('refused', 'The installation has no identity of its own at AWS.');
}

function containerUrl({ settings }: IdentityTools): URL | null {
  const { AWS_CONTAINER_CREDENTIALS_FULL_URI: full, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative } =
    settings;
  if (relative !== null) return new URL(relative, CONTAINER_ORIGIN);
  if (full === null) return null;
  const url = new URL(full);
  if (url.protocol === 'https:' || CONTAINER_HOSTS.has(url.hostname)) return url;
  throw new VendorError(
    'refused',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI must use https or an address of the host.',
  );
}

async function containerKeys(url: URL, tools: IdentityTools): Promise<Issued> {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN: token, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file } =
    tools.settings;
  // The file is rotated, so it is read each time.
  const authorization = file === null ? token : (await tools.readFile(file)).trim();
  const headers = { accept: 'application/json', ...(authorization === null ? {} : { authorization }) };
  return keysOf(await tools.calls.machine({ url: url.href, method: 'GET', headers }), CONTAINER, tools);
}

/**
 * Gets the machine's keys from version 2 of the metadata service, which requires a session token.
 */
async function machineKeys(tools: IdentityTools): Promise<Issued> {
  const base = `${tools.settings.AWS_EC2_METADATA_SERVICE_ENDPOINT.replace(/\/$/, '')}/latest`;
  const session = await tools.calls.machine({
    url: `${base}/api/token`,
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
  });
  assertOk(session, METADATA);
  const headers = { 'x-aws-ec2-metadata-token': session.text.trim() };
  const path = `${base}/meta-data/iam/security-credentials/`;
  const roles = await tools.calls.machine({ url: path, method: 'GET', headers });
  assertOk(roles, METADATA);
  const [role = ''] = roles.text.trim().split('\n', 1);
  const url = path + encodeURIComponent(textOf(role, METADATA));
  return keysOf(await tools.calls.machine({ url, method: 'GET', headers }), METADATA, tools);
}

function keysOf(response: VendorResponse, what: string, { now }: IdentityTools): Issued {
  assertOk(response, what);
  const text = (name: string): string => textOf(propertyOf(response.text, name), what);
  const keys = {
    accessKeyId: text('AccessKeyId'),
    secretAccessKey: text('SecretAccessKey'),
    sessionToken: text('Token'),
  };
  return {
    credential: { kind: 'aws', keys },
    expiresAt: expiryOf(propertyOf(response.text, 'Expiration'), now()),
  };
}
