import type { OAuthClient } from '@gw/contracts';
import { VendorError } from '@gw/kernel';
import { FORM, type IdentityTools, type Issued } from './tools';
import { bearerOf } from './token-response';

/** Gets a token by the client credentials grant (RFC 6749, section 4.4). @throws VendorError */
export async function oauthToken(
  { endpoint, id, secret, scope, audience, resource, method }: OAuthClient,
  { calls, now }: Pick<IdentityTools, 'now'> & { readonly calls: Pick<IdentityTools['calls'], 'tenants'> },
): Promise<Issued> {
  const isPosted = method === 'client_secret_post';
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(isPosted ? { client_id: id, client_secret: secret } : {}),
    ...(scope === null ? {} : { scope }),
    ...(audience === null ? {} : { audience }),
    ...(resource === null ? {} : { resource }),
  });
  const response = await calls.tenants({
    url: endpoint,
    method: 'POST',
    headers: { ...FORM, ...(isPosted ? {} : { authorization: basic(id, secret) }) },
    body: form.toString(),
  });
  return bearerOf(response, 'The token endpoint', now());
}

/** Gets a bearer token for a client, without a cache. @throws VendorError */
export async function clientCredentialsToken(
  client: OAuthClient,
  calls: Pick<IdentityTools['calls'], 'tenants'>,
): Promise<string> {
  const { credential } = await oauthToken(client, { calls, now: Date.now });
  if (credential.kind !== 'bearer') throw new VendorError('invalid', 'The token is not a bearer token.');
  return credential.token;
}

/** Both parts are form-encoded first (RFC 6749, section 2.3.1). */
function basic(id: string, secret: string): string {
  const encoded = (text: string): string => new URLSearchParams({ t: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`;
}
