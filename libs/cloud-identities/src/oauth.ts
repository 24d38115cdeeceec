import type { OAuthClient } from '@gw/contracts';
import { clientKeyForm, VendorError } from '@gw/kernel';
import { FORM, type IdentityTools, type Issued } from './tools';
import { bearerOf } from './token-response';

/** Gets a token by the client credentials grant (RFC 6749, section 4.4). @throws VendorError */
export async function oauthToken(
  client: OAuthClient,
  { calls, now }: Pick<IdentityTools, 'now'> & { readonly calls: Pick<IdentityTools['calls'], 'tenants'> },
): Promise<Issued> {
  const { endpoint, scope, audience, resource } = client;
  const { headers, form: authentication } = authenticationOf(client, now());
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...authentication,
    ...(scope === null ? {} : { scope }),
    ...(audience === null ? {} : { audience }),
    ...(resource === null ? {} : { resource }),
  });
  const response = await calls.tenants({
    url: endpoint,
    method: 'POST',
    headers: { ...FORM, ...headers },
    body: form.toString(),
  });
  return bearerOf(response, 'The token endpoint', now());
}

type Members = Readonly<Record<string, string>>;

/** Returns the headers and form members that authenticate a client. @throws VendorError */
function authenticationOf(
  client: OAuthClient,
  now: number,
): { readonly headers: Members; readonly form: Members } {
  const { id } = client;
  switch (client.method) {
    case 'client_secret_basic':
      return { headers: { authorization: basic(id, client.secret) }, form: {} };
    case 'client_secret_post':
      return { headers: {}, form: { client_id: id, client_secret: client.secret } };
    case 'private_key_jwt': {
      const { privateKey, issuer, keyId, algorithm } = client;
      const use = { clientId: id, issuer, keyId, algorithm, announced: [], now };
      return { headers: {}, form: clientKeyForm(privateKey, use) };
    }
  }
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

/** Returns HTTP Basic credentials, whose parts are form-encoded first (RFC 6749, section 2.3.1). */
function basic(id: string, secret: string): string {
  const encoded = (text: string): string => new URLSearchParams({ t: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`;
}
