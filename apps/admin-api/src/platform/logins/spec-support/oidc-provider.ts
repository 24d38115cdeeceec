import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type ClientMetadata } from 'oidc-provider';

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly given_name?: string;
  readonly family_name?: string;
}

/** A real OpenID Connect provider on loopback, whose users log in without a page. */
export class OidcProvider {
  /** Who logs in next. */
  private current = '';

  private constructor(
    private readonly server: Server,
    private readonly provider: Provider,
    readonly issuer: string,
    private readonly accounts: Map<string, Account>,
  ) {}

  static async start(clients: readonly ClientMetadata[]): Promise<OidcProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const accounts = new Map<string, Account>();
    const provider = new Provider(issuer, {
      clients: [...clients],
      features: { devInteractions: { enabled: false } },
      claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      cookies: { keys: ['a key of the test'] },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
      ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60 },
    });
    const made = new OidcProvider(server, provider, issuer, accounts);
    const callback = provider.callback();
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/interaction/') === true) void made.interact(request, response);
      else void callback(request, response);
    });
    return made;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  /** Logs in as a browser would, and returns the query with which the browser is sent back. */
  async logIn(url: string, id: string, account: Account): Promise<string> {
    this.accounts.set(id, account);
    this.current = id;
    const cookies = new Map<string, string>();
    let at = url;
    for (let hop = 0; hop < 10 && at.startsWith(this.issuer); hop += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null)
        throw new Error(`The provider responded with ${String(response.status)}: ${await response.text()}`);
      at = new URL(location, at).href;
    }
    return new URL(at).search.slice(1);
  }

  private async interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, grantId: known } = await this.provider.interactionDetails(request, response);
    const login = prompt.name === 'login' ? { login: { accountId: this.current } } : {};
    const grant =
      known === undefined
        ? new this.provider.Grant({ accountId: this.current, clientId: String(params['client_id']) })
        : await this.provider.Grant.find(known);
    grant?.addOIDCScope(String(params['scope']));
    const grantId = await grant?.save();
    const result = { ...login, consent: { grantId } };
    await this.provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: true,
    });
  }
}
