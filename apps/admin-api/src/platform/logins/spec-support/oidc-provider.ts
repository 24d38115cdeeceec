import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type ClientMetadata } from 'oidc-provider';
import { browse, listen, stop, type Loopback } from '../../../spec-support/loopback';

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly given_name?: string;
  readonly family_name?: string;
}

/** A real OpenID Connect provider on loopback, whose users log in without a page. */
export class OidcProvider {
  /** Id of the user who logs in next. */
  private current = '';

  private constructor(
    private readonly running: Loopback,
    private readonly provider: Provider,
    private readonly accounts: Map<string, Account>,
  ) {}

  get issuer(): string {
    return this.running.origin;
  }

  static async start(clients: readonly ClientMetadata[]): Promise<OidcProvider> {
    const running = await listen();
    const accounts = new Map<string, Account>();
    const provider = new Provider(running.origin, {
      clients: [...clients],
      features: { devInteractions: { enabled: false } },
      claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      cookies: { keys: ['a key of the test'] },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts.get(id) }) }),
      ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60 },
    });
    const made = new OidcProvider(running, provider, accounts);
    const callback = provider.callback();
    running.server.on('request', (request, response) => {
      if (request.url?.startsWith('/interaction/') === true) void made.interact(request, response);
      else void callback(request, response);
    });
    return made;
  }

  stop(): Promise<void> {
    return stop(this.running);
  }

  /** Logs in as a browser would, and returns the query with which the browser returns. */
  async logIn(url: string, id: string, account: Account): Promise<string> {
    this.accounts.set(id, account);
    this.current = id;
    return (await browse(url, this.issuer)).search.slice(1);
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
