import type { SecretLocation } from '@gw/contracts';
import { signAws, type AwsCredentials } from '@gw/kernel';
import {
  assertOk,
  memberOf,
  SecretError,
  textOf,
  type ManagerResponse,
  type ManagerCall,
} from './secret-manager';
import type { SecretManagerSettings } from './settings';

export interface AwsTools {
  /** Calls the vendor's own addresses, which no tenant can choose. */
  readonly callVendor: ManagerCall;
  readonly settings: SecretManagerSettings;
  readonly readFile: (path: string) => Promise<string>;
  readonly now: () => Date;
}

const MANAGER = 'AWS Secrets Manager';
const STS = 'AWS STS';
const SESSION_NAME = 'tollgate';
const FORM = 'application/x-www-form-urlencoded';
/** Error types that AWS returns with status 400, by the end of the type. */
const NOT_FOUND = /ResourceNotFoundException"?$/;
const DENIED =
  /(?:AccessDenied|UnrecognizedClient|InvalidSignature|InvalidClientTokenId|ExpiredToken|DecryptionFailure)\w{0,64}"?$/;

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
  const response = await tools.callVendor({
    url: url.href,
    method: 'POST',
    headers: await signAws(request, credentials, tools.now()),
    body,
  });
  assertSuccess(response, String(memberOf(response.text, '__type')), MANAGER);
  const text = memberOf(response.text, 'SecretString');
  if (typeof text === 'string') return text;
  return Buffer.from(textOf(memberOf(response.text, 'SecretBinary'), MANAGER), 'base64').toString('utf8');
}

const suffix = (region: string): string => (region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com');

function assertSuccess(response: ManagerResponse, type: string, what: string): void {
  if (response.status === 400 && NOT_FOUND.test(type)) {
    throw new SecretError('not_found', `${what} has no such secret.`);
  }
  if (response.status === 400 && DENIED.test(type)) {
    throw new SecretError('denied', `${what} refused the credential.`);
  }
  assertOk(response, what);
}

function credentialsFor(
  auth: SecretLocation['auth'],
  region: string,
  tools: AwsTools,
): Promise<AwsCredentials> | AwsCredentials {
  switch (auth['aws_auth_type']) {
    case 'accessKey':
      return {
        accessKeyId: textOf(auth['aws_access_key_id'], 'The auth_config'),
        secretAccessKey: textOf(auth['aws_secret_access_key'], 'The auth_config'),
        sessionToken: null,
      };
    case 'assumedRole':
      return assumeRole(auth, region, tools);
    case undefined:
    default:
      return ownCredentials(region, tools);
  }
}

/**
 * Credentials of the installation: its own access key, or the web identity of its service account.
 */
async function ownCredentials(
  region: string,
  { callVendor, settings, readFile }: AwsTools,
): Promise<AwsCredentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (accessKeyId !== null && secretAccessKey !== null) {
    return { accessKeyId, secretAccessKey, sessionToken: settings.AWS_SESSION_TOKEN };
  }
  const { AWS_ROLE_ARN: roleArn, AWS_WEB_IDENTITY_TOKEN_FILE: file } = settings;
  if (roleArn === null || file === null) {
    throw new SecretError('refused', 'The installation has no AWS identity of its own.');
  }
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: SESSION_NAME,
    WebIdentityToken: (await readFile(file)).trim(),
  }).toString();
  const url = stsUrl(region, settings);
  return credentialsOf(
    await callVendor({ url: url.href, method: 'POST', headers: { 'content-type': FORM }, body }),
  );
}

async function assumeRole(
  auth: SecretLocation['auth'],
  region: string,
  tools: AwsTools,
): Promise<AwsCredentials> {
  const own = await ownCredentials(region, tools);
  const url = stsUrl(region, tools.settings);
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: textOf(auth['aws_role_arn'], 'The auth_config'),
    RoleSessionName: SESSION_NAME,
    ...(auth['aws_external_id'] === undefined ? {} : { ExternalId: auth['aws_external_id'] }),
  }).toString();
  const headers = { 'content-type': FORM };
  const request = { method: 'POST', url, headers, body, region, service: 'sts' } as const;
  return credentialsOf(
    await tools.callVendor({
      url: url.href,
      method: 'POST',
      headers: await signAws(request, own, tools.now()),
      body,
    }),
  );
}

const stsUrl = (region: string, settings: SecretManagerSettings): URL =>
  new URL(settings.AWS_ENDPOINT_URL_STS ?? `https://sts.${region}.${suffix(region)}/`);

/** Parses the XML of STS, whose texts need no unescaping here. */
function credentialsOf(response: ManagerResponse): AwsCredentials {
  const element = (name: string): string | undefined => {
    const [, after = ''] = response.text.split(`<${name}>`, 2);
    const [value = '', end] = after.split(`</${name}>`, 2);
    return end !== undefined && /^[A-Za-z0-9+/=_-]{1,8192}$/.test(value) ? value : undefined;
  };
  assertSuccess(response, element('Code') ?? '', STS);
  return {
    accessKeyId: textOf(element('AccessKeyId'), STS),
    secretAccessKey: textOf(element('SecretAccessKey'), STS),
    sessionToken: textOf(element('SessionToken'), STS),
  };
}
