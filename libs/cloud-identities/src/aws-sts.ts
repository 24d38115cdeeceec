import {
  AWS_REGION,
  assertOk,
  signAws,
  textOf,
  VendorError,
  type AwsCredentials,
  type VendorResponse,
} from '@gw/kernel';
import { expiryOf } from './token-response';
import type { IdentityTools, Issued } from './tools';

const STS = 'AWS STS';
const SESSION_NAME = 'tollgate';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const VERSION = '2011-06-15';
/** Error codes that AWS returns with status 400. */
export const AWS_DENIED =
  /(?:AccessDenied|UnrecognizedClient|InvalidSignature|InvalidClientTokenId|InvalidIdentityToken|ExpiredToken|DecryptionFailure)\w{0,64}"?$/;

export interface AssumedRole {
  readonly region: string;
  readonly roleArn: string;
  /** Shown in the audit log of the role's account. Default: `tollgate`. */
  readonly sessionName?: string;
}

/**
 * Gets keys of a role that the installation's own keys may assume. `externalId`: null when the role
 * requires none.
 */
export async function assumeRole(
  { region, roleArn, sessionName = SESSION_NAME }: AssumedRole,
  externalId: string | null,
  own: AwsCredentials,
  tools: IdentityTools,
): Promise<Issued> {
  const url = stsUrl(region, tools);
  const body = new URLSearchParams({
    Action: 'AssumeRole',
    Version: VERSION,
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    ...(externalId === null ? {} : { ExternalId: externalId }),
  }).toString();
  const request = { method: 'POST', url, headers: FORM, body, region, service: 'sts' } as const;
  const headers = await signAws(request, own, new Date(tools.now()));
  return keysOf(await tools.calls.vendors({ url: url.href, method: 'POST', headers, body }), tools);
}

/** Gets keys of a role that trusts the issuer of the token. */
export async function assumeRoleWithToken(
  { region, roleArn, sessionName = SESSION_NAME }: AssumedRole,
  token: string,
  tools: IdentityTools,
): Promise<Issued> {
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: VERSION,
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: token,
  }).toString();
  const url = stsUrl(region, tools).href;
  return keysOf(await tools.calls.vendors({ url, method: 'POST', headers: FORM, body }), tools);
}

/** Returns the URL of the token service in a region. @throws VendorError */
export function stsUrl(region: string, { settings }: Pick<IdentityTools, 'settings'>): URL {
  if (!AWS_REGION.test(region))
    throw new VendorError('invalid', 'The region must be that of AWS, such as us-east-1.');
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return new URL(settings.AWS_ENDPOINT_URL_STS ?? `https://sts.${region}.${domain}/`);
}

/** Parses the XML of STS, whose texts need no unescaping here. */
function keysOf(response: VendorResponse, { now }: IdentityTools): Issued {
  const element = (name: string, form = /^[A-Za-z0-9+/=_-]{1,8192}$/): string | undefined => {
    const [, after = ''] = response.text.split(`<${name}>`, 2);
    const [value = '', end] = after.split(`</${name}>`, 2);
    return end !== undefined && form.test(value) ? value : undefined;
  };
  if (response.status === 400 && AWS_DENIED.test(element('Code') ?? ''))
    throw new VendorError('denied', `${STS} refused the credential.`);
  assertOk(response, STS);
  return {
    credential: {
      kind: 'aws',
      keys: {
        accessKeyId: textOf(element('AccessKeyId'), STS),
        secretAccessKey: textOf(element('SecretAccessKey'), STS),
        sessionToken: textOf(element('SessionToken'), STS),
      },
    },
    expiresAt: expiryOf(element('Expiration', /^[0-9TZ:.-]{1,40}$/), now()),
  };
}
