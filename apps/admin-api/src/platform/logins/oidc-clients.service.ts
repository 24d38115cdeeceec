import type { SsoConnectionEntity } from '@gw/entities';
import { OidcClient, OidcFault, type OidcOutbound } from '@gw/federation';
import { DAY_MS, GatewayError, type AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { describeFault } from '@gw/web';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Secrets, SETTINGS } from '../../settings';
import { ADDRESS_POLICY } from '../credentials/integration-credentials';
import { bufferedFetch } from '../common/buffered-fetch';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import { oidcSettings, openSecrets } from './sso-secrets';

const CLIENTS_MAX = 500;
const BOUNDS = { bytesMax: 262_144, totalTimeoutMs: 10_000 } as const;

/** Path to which identity providers redirect users. */
export const CALLBACK_PATH = '/v2/auth/callback';

/**
 * Clients of OpenID Connect providers. Reads the metadata of a provider once a day and after each
 * change of its connection.
 */
@Injectable()
export class OidcClients {
  private readonly log = new Logger(OidcClients.name);
  private readonly clients = new LRUCache<string, Promise<OidcClient>>({ max: CLIENTS_MAX, ttl: DAY_MS });

  constructor(
    private readonly http: BufferedClient,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  get redirectUri(): string {
    return publicUrl(this.settings, CALLBACK_PATH);
  }

  /**
   * Returns the URL at which the provider of a connection reads the public keys of the admin API.
   */
  keysUri(connectionId: string): string {
    return publicUrl(this.settings, `/.well-known/sso/${connectionId}/jwks.json`);
  }

  /** Returns the URL at which the provider of a connection reports the end of a session. */
  logoutUri(connectionId: string): string {
    return publicUrl(this.settings, `/v2/auth/oidc/backchannel-logout/${connectionId}`);
  }

  /**
   * Returns the cached client of a connection. Rejects with `OidcFault`; failures are not cached.
   */
  private of(row: SsoConnectionEntity): Promise<OidcClient> {
    if (row.type !== 'oidc') return Promise.reject(new OidcFault('The connection is of another protocol.'));
    const name = `${row.id} ${String(row.version)}`;
    const cached = this.clients.get(name);
    if (cached !== undefined) return cached;
    const settings = oidcSettings(row, openSecrets(this.secrets.sealingKeyring, row));
    const discovery = OidcClient.discover(settings, this.redirectUri, this.outbound);
    this.clients.set(name, discovery);
    discovery.catch(() => this.clients.delete(name));
    return discovery;
  }

  /**
   * Runs `work` with the client of a connection. Converts faults of the provider into an error with
   * one sentence for the user and the fault as its cause.
   */
  async use<T>(
    row: SsoConnectionEntity,
    work: (client: OidcClient) => Promise<T>,
    type: 'sso_login_refused' | 'sso_logout_refused' = 'sso_login_refused',
  ): Promise<T> {
    try {
      return await work(await this.of(row));
    } catch (error) {
      if (!(error instanceof OidcFault)) throw error;
      this.log.warn({ connection: row.id, ...describeFault(error) }, 'single sign-on failed');
      throw new GatewayError(type, { cause: error });
    }
  }

  private readonly outbound: OidcOutbound = {
    send: (url, init) => bufferedFetch(this.http, url, init, BOUNDS),
    fault: (url) => {
      const verdict = this.addresses.checkUrl(url);
      return verdict.ok ? null : verdict.rule;
    },
  };
}
