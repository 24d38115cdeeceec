import { ACCESS_PREFIX, ASSERTION_GRANT } from '@gw/oauth';
import { BufferedClient } from '@gw/outbound';
import { describeFault } from '@gw/web';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { SETTINGS, Secrets, type AdminSettings } from '../../settings';
import { bufferedFetch } from '../common/buffered-fetch';
import { AssertionGrants, type AssertionParameters } from './assertion-grants.service';
import { CookieKeys } from './cookie-keys';
import { POLL_SECONDS } from './device-polls';
import { engineConfiguration } from './engine-configuration';
import { OauthAccounts } from './oauth-accounts.service';
import { OauthArtifacts } from './oauth-artifacts';
import { currentOauthCall } from './oauth-call';
import { OauthClients } from './oauth-clients';
import { OauthIntrospection } from './oauth-introspection.service';
import { OauthTransactions } from './oauth-transactions';
import { SigningKeys } from './signing-keys';
import { REFRESH_PREFIX } from './token-prefixes';
import { oidcLibrary } from './oidc-library';

/** Bounds for reading key sets of clients. */
const BOUNDS = { bytesMax: 65_536, totalTimeoutMs: 5_000 } as const;
const JSON_ONLY = { headers: { accept: 'application/json' } } as const;
/**
 * How long a process may continue to sign with keys that another process has replaced, in
 * milliseconds.
 */
const KEYS_MS = 60_000;
/** Paths whose requests change grants and tokens; each request is one transaction. */
const CHANGING: ReadonlySet<string> = new Set(['/oauth/token', '/oauth/revoke']);

interface Built {
  readonly provider: Provider;
  readonly version: string;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  checkAt: number;
}

/**
 * The protocol engine with Tollgate's storage and policy. It is built at its first use and rebuilt
 * when the signing keys have changed.
 */
@Injectable()
export class OauthEngine {
  private readonly log = new Logger(OauthEngine.name);
  private built: Promise<Built> | null = null;

  constructor(
    private readonly keys: SigningKeys,
    private readonly clients: OauthClients,
    private readonly artifacts: OauthArtifacts,
    private readonly accounts: OauthAccounts,
    private readonly assertionGrants: AssertionGrants,
    private readonly introspection: OauthIntrospection,
    private readonly transactions: OauthTransactions,
    private readonly secrets: Secrets,
    private readonly http: BufferedClient,
    @Inject(SETTINGS)
    private readonly settings: Pick<AdminSettings, 'PUBLIC_URL' | 'OAUTH_DCR' | 'OAUTH_CIMD' | 'DEVICE_FLOW'>,
  ) {}

  async provider(): Promise<Provider> {
    return (await this.current()).provider;
  }

  /** Handles a request and writes its response. Call it within `withinOauthCall`. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handle } = await this.current();
    await handle(request, response);
  }

  /** Discards the engine, so that the next use reads the signing keys again. */
  rebuild(): void {
    this.built = null;
  }

  private async current(): Promise<Built> {
    this.built ??= this.build();
    let built: Built;
    try {
      built = await this.built;
      if (built.checkAt > Date.now()) return built;
      built.checkAt = Date.now() + KEYS_MS;
      if ((await this.keys.version()) === built.version) return built;
    } catch (error) {
      this.built = null;
      throw error;
    }
    this.built = this.build();
    return this.built;
  }

  private async build(): Promise<Built> {
    const { keys, version } = await this.keys.read();
    const issuer = this.settings.PUBLIC_URL ?? '';
    const { Provider: Engine } = oidcLibrary();
    const provider = new Engine(
      issuer,
      engineConfiguration({
        issuer,
        keys,
        cookieKeys: new CookieKeys(this.secrets.oauthPageKey),
        registration: this.settings.OAUTH_DCR,
        storageOf: (model) => (model === 'Client' ? this.clients.adapter : this.artifacts.of(model)),
        accounts: this.accounts,
        clients: this.clients,
        deviceFlow: this.settings.DEVICE_FLOW,
        clientDocuments: this.settings.OAUTH_CIMD !== 'off',
        outbound: (url) => bufferedFetch(this.http, new Request(url).url, JSON_ONLY, BOUNDS),
      }),
    );
    // Trusts the forwarded headers, because the endpoint sets them from the settings.
    provider.proxy = true;
    provider.use((context, next) => this.around(context as KoaContextWithOIDC, next));
    provider.on('server_error', (_context, error) => {
      this.log.error(describeFault(error));
    });
    provider.registerGrantType<AssertionParameters>(
      ASSERTION_GRANT,
      (context) => this.assertionGrants.take(context),
      ['assertion', 'scope', 'resource'],
    );
    const handle = provider.callback();
    return {
      ...{ provider, version, checkAt: Date.now() + KEYS_MS },
      handle: (request, response) => handle(request, response),
    };
  }

  private async around(context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
    if (CHANGING.has(context.path)) await this.transactions.whenNeeded(() => next());
    else await next();
    // Each request asks the user again, so the engine's session cookie is always removed.
    const cookies = context.response.headers['set-cookie'];
    if (Array.isArray(cookies))
      context.set(
        'set-cookie',
        cookies.filter((cookie) => !/^_session(?:\.sig)?=/.test(cookie)),
      );
    if (context.path === '/oauth/token') addPrefixes(context.body);
    if (context.path === '/oauth/device' && context.status === 200)
      Object.assign(context.body as object, { interval: POLL_SECONDS });
    if (context.path === '/oauth/introspect') context.body = await this.introspection.complete(context.body);
    if (context.path === '/oauth/register' && context.status === 201) addScope(context.body);
    if (context.path === '/oauth/revoke' && context.status === 200) context.body = {};
  }
}

function addPrefixes(body: unknown): void {
  const tokens = body as { access_token?: string; refresh_token?: string } | undefined;
  if (tokens?.access_token !== undefined) tokens.access_token = ACCESS_PREFIX + tokens.access_token;
  if (tokens?.refresh_token !== undefined) tokens.refresh_token = REFRESH_PREFIX + tokens.refresh_token;
}

/**
 * Adds the scope of a registration to the response, because the admin API stores it and the engine
 * does not.
 */
function addScope(body: unknown): void {
  const scope = currentOauthCall()?.registration?.scope;
  if (scope !== undefined && scope !== '') Object.assign(body as object, { scope });
}
