import { queryDatabase, rsaKeyPair, signedToken, TOKEN_AUDIENCE, TOKEN_ISSUER } from '@gw/testing';
import { OauthJourney } from '../../apps/admin-api/src/platform/oauth/spec-support/oauth-journey';
import { PASSWORD } from '../../apps/admin-api/src/spec-support/admin-api';
import { fetched } from '../../apps/admin-api/src/spec-support/fetched';
import type { NewKey, Workbench } from './workbench';

/** A credential that calls a provider through a gateway, or the control plane through it. */
export interface CallerOf {
  readonly kind: 'session' | 'user key' | 'service key' | 'token of a trust' | 'access token';
  readonly credential: string;
  /** Provider to call; `main` by default. */
  readonly provider?: string;
}

/** A user who has joined, with a session. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly session: string;
  /** Workspace of the person's keys and tokens. */
  readonly workspaceId: string;
}

/** An access token, with its client and refresh token. */
export interface Access {
  readonly clientId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

const KEY = rsaKeyPair('k1');
const SCOPES = ['completions.write'];

/**
 * Creates callers of every kind over the HTTP interface of a running product, whose PUBLIC_URL is
 * that of `OauthJourney`.
 */
export class Callers {
  private people = 0;
  private readonly journey: OauthJourney;

  constructor(private readonly bench: Workbench) {
    this.journey = new OauthJourney({
      call: (method, url, call) => fetched(this.bench.product.adminUrl, method, url, call),
      post: (url, call) => fetched(this.bench.product.adminUrl, 'POST', url, call),
    });
  }

  /**
   * Creates a member of the organisation and of a workspace (the first by default), or an
   * administrator of the organisation only.
   */
  async person(
    role: 'admin' | 'member',
    id: string = this.bench.product.credentials.workspace_id,
  ): Promise<Person> {
    this.people += 1;
    const email = `person-${String(this.people)}@example.com`;
    const workspaces = role === 'member' ? [{ id, role: 'member' }] : [];
    const { invite_link: link } = await this.manage<{ invite_link: string }>('/admin/users/invites', {
      email,
      role,
      workspaces,
    });
    await this.manage('/invites/accept', { token: link.split('/').at(-1), password: PASSWORD }, {});
    const { auth_token: session } = await this.manage<{ auth_token: string }>(
      '/auth/login',
      { email, password: PASSWORD },
      {},
    );
    const { data } = await this.bench.manage<{ data: { id: string; email: string }[] }>(
      'GET',
      `/admin/users?email=${encodeURIComponent(email)}`,
      { key: this.bench.adminKey },
    );
    const [found] = data.filter((user) => user.email === email);
    if (!found) throw new Error(`${email} has not joined.`);
    return { id: found.id, email, session, workspaceId: id };
  }

  workspace(): Promise<{ readonly id: string }> {
    return this.manage('/admin/workspaces', { name: 'Short-lived' });
  }

  userKey({ session, workspaceId: workspace_id }: Person): Promise<NewKey> {
    const body = { name: 'Mine', workspace_id, scopes: SCOPES };
    return this.manage('/api-keys/workspace/user', body, { authorization: `Bearer ${session}` });
  }

  /**
   * Creates an access token. `requested` holds the resource and scope of the request; by default
   * those of the API.
   */
  async access(person: Person, requested: Readonly<Record<string, string>> = {}): Promise<Access> {
    const clientId = await this.journey.clientId();
    const { begun, code } = await this.journey.code(clientId, person, person.workspaceId, requested);
    const { status, body, text } = await this.journey.exchange(begun, code);
    if (status !== 200) throw new Error(text);
    return { clientId, accessToken: body.access_token, refreshToken: body.refresh_token };
  }

  async revoke({ clientId, accessToken }: Access): Promise<void> {
    await this.journey.revoke(clientId, accessToken);
  }

  /** Uses the refresh token twice, like a thief and the client. */
  async reuse({ clientId, refreshToken }: Access): Promise<void> {
    await this.journey.refresh(clientId, refreshToken);
    await this.journey.refresh(clientId, refreshToken);
  }

  /** Returns the form that exchanges an unused code. */
  async openCode(person: Person): Promise<URLSearchParams> {
    const clientId = await this.journey.clientId();
    const { begun, code } = await this.journey.code(clientId, person, person.workspaceId);
    return new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: begun.redirectUri },
      code_verifier: begun.verifier,
    });
  }

  /** Hands a member to an identity provider, which then deactivates the user. */
  async managed({ email }: Person): Promise<{ readonly deactivate: () => Promise<unknown> }> {
    await this.verifyDomain(email.split('@')[1] ?? '');
    const { token } = await this.manage<{ token: string }>('/admin/organisation/scim-token', {});
    const scim = async (method: string, path: string, body: object): Promise<{ id: string }> => {
      const headers = { authorization: `Bearer ${token}` };
      const { status, text } = await this.bench.call(method, path, { key: null, headers, body });
      if (![200, 201].includes(status)) throw new Error(text);
      return JSON.parse(text) as { id: string };
    };
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: email, active: true };
    const { id } = await scim('POST', '/scim/Users', user);
    const patch = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    };
    return { deactivate: () => scim('PATCH', `/scim/Users/${id}`, patch) };
  }

  /**
   * Turns the sessions of a member into single sign-on sessions, with an address of a separate
   * verified domain. Returns the domain.
   */
  async signedOn({ id }: Person): Promise<string> {
    const domain = `${id}.example`;
    await this.verifyDomain(domain);
    await queryDatabase(this.bench, `UPDATE users SET email = $2 WHERE id = $1`, [id, `someone@${domain}`]);
    await queryDatabase(this.bench, `UPDATE sessions SET by_password = false WHERE user_id = $1`, [id]);
    return domain;
  }

  /**
   * Verifies a domain in the database instead of by a TXT record, because the test has no name
   * server.
   */
  private async verifyDomain(domain: string): Promise<void> {
    const { organisation_id: organisationId } = this.bench.product.credentials;
    await queryDatabase(
      this.bench,
      `INSERT INTO organisation_domains (id, organisation_id, domain, token, verified_at)
       VALUES (gen_random_uuid(), $1, $2, 't', now()) ON CONFLICT DO NOTHING`,
      [organisationId, domain],
    );
  }

  /** Creates a trust for a new issuer, with a token of the issuer. */
  async trust(
    name: string,
    workspace: string = this.bench.product.credentials.workspace_id,
  ): Promise<{ readonly id: string; readonly token: string }> {
    const issuer = `${TOKEN_ISSUER}/${name}`;
    const { id } = await this.manage<{ id: string }>('/trusts', {
      ...{ name, kind: 'jwt', issuer, jwks: { keys: [KEY.jwk] }, audiences: [TOKEN_AUDIENCE] },
      maps: [{ workspace, scopes: SCOPES }],
    });
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, aud: TOKEN_AUDIENCE, sub: 'u1', iat: now, exp: now + 3_600 };
    return { id, token: signedToken(KEY, claims) };
  }

  private manage<T = Record<string, unknown>>(
    path: string,
    body: object,
    headers: Record<string, string> = { 'x-gw-api-key': this.bench.adminKey },
  ): Promise<T> {
    return this.bench.manage<T>('POST', path, { key: null, headers, body });
  }
}
