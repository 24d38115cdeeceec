import { importPKCS8, SignJWT } from 'jose';
import { assertOk, propertyOf, textOf, VendorError } from '@gw/kernel';
import { bearerOf, expiryOf, tokenOf } from './token-response';
import { FORM, type IdentityTools, type Issued } from './tools';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const KEY_FILE = 'The key file of the service account';
const GOOGLE = 'Google';
const METADATA = 'The metadata server of Google';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';

/**
 * Gets a token of a service account with its key file (`type: service_account`). @throws
 * VendorError
 */
export async function serviceAccountToken(
  json: string,
  { calls, settings, now }: IdentityTools,
): Promise<Issued> {
  const text = (name: string): string => textOf(propertyOf(json, name), KEY_FILE);
  // A tenant wrote the file, so nothing is sent to another URL in it.
  if (text('token_uri') !== TOKEN_URL)
    throw new VendorError('refused', `token_uri of the key file must be ${TOKEN_URL}.`);
  const issuedAt = Math.floor(now() / 1_000);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: text('private_key_id') })
    .setIssuer(text('client_email'))
    .setAudience(TOKEN_URL)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 3_600)
    .sign(await privateKey(text('private_key')));
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  const response = await calls.vendors({
    url: `${settings.GOOGLE_OAUTH_ENDPOINT.replace(/\/$/, '')}/token`,
    method: 'POST',
    headers: FORM,
    body: new URLSearchParams(grant).toString(),
  });
  return bearerOf(response, GOOGLE, now());
}

async function privateKey(pem: string) {
  try {
    return await importPKCS8(pem, 'RS256');
  } catch (cause) {
    throw new VendorError('invalid', 'private_key of the key file cannot be read.', { cause });
  }
}

/** Gets a token of the service account of the machine or pod. @throws VendorError */
export async function googleOwnToken(tools: IdentityTools): Promise<Issued> {
  return bearerOf(await metadata('token', tools), METADATA, tools.now());
}

/** Gets a signed identity token of the machine or pod for an audience. @throws VendorError */
export async function googleIdentityToken(audience: string, tools: IdentityTools): Promise<string> {
  const response = await metadata(`identity?audience=${encodeURIComponent(audience)}&format=full`, tools);
  assertOk(response, METADATA);
  return tokenOf(response.text.trim(), METADATA);
}

const metadata = (what: string, { calls, settings }: IdentityTools) =>
  calls.machine({
    url: `http://${settings.GCE_METADATA_HOST}/computeMetadata/v1/instance/service-accounts/default/${what}`,
    method: 'GET',
    headers: { 'metadata-flavor': 'Google' },
  });

export interface TokenExchange {
  /** Resource name of a provider of a workload identity pool. */
  readonly audience: string;
  readonly subjectToken: string;
  readonly subjectTokenType: string;
  /** The service account to act as; null: the federated identity itself. */
  readonly serviceAccount: string | null;
}

/** Exchanges another issuer's token for one of Google. @throws VendorError */
export async function exchangedToken(exchange: TokenExchange, tools: IdentityTools): Promise<Issued> {
  const { calls, settings, now } = tools;
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: exchange.audience,
    scope: SCOPE,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: exchange.subjectToken,
    subject_token_type: exchange.subjectTokenType,
  };
  const response = await calls.vendors({
    url: `${settings.GOOGLE_STS_ENDPOINT.replace(/\/$/, '')}/v1/token`,
    method: 'POST',
    headers: FORM,
    body: new URLSearchParams(form).toString(),
  });
  const federated = bearerOf(response, `${GOOGLE} STS`, now());
  return exchange.serviceAccount === null
    ? federated
    : impersonated(exchange.serviceAccount, federated, tools);
}

async function impersonated(
  serviceAccount: string,
  { credential }: Issued,
  { calls, settings, now }: IdentityTools,
): Promise<Issued> {
  if (credential.kind !== 'bearer') throw new VendorError('invalid', `${GOOGLE} STS sent no bearer token.`);
  const account = encodeURIComponent(serviceAccount);
  const response = await calls.vendors({
    url: `${settings.GOOGLE_IAM_CREDENTIALS_ENDPOINT.replace(/\/$/, '')}/v1/projects/-/serviceAccounts/${account}:generateAccessToken`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential.token}` },
    body: JSON.stringify({ scope: [SCOPE], lifetime: '3600s' }),
  });
  assertOk(response, `${GOOGLE} IAM`);
  return {
    credential: { kind: 'bearer', token: tokenOf(propertyOf(response.text, 'accessToken'), `${GOOGLE} IAM`) },
    expiresAt: expiryOf(propertyOf(response.text, 'expireTime'), now()),
  };
}
