import { OauthClientEntity, oauthClientBinding } from '@gw/entities';
import { networkOf, seal, unseal } from '@gw/kernel';
import { CLI_CLIENT, DEVICE_GRANT, type RedirectUriOptions } from '@gw/oauth';
import { Inject, Injectable } from '@nestjs/common';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { MoreThan } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { ClientDocuments } from './client-documents';
import { NO_STORAGE } from './no-storage';
import { currentOauthCall } from './oauth-call';
import type { ClientKind } from './oauth-resources';
import { OauthTransactions } from './oauth-transactions';
import { oidcErrors } from './oidc-library';

const DYNAMIC_MAX = 100_000;
const PER_NETWORK_AND_DAY = 1_000;
const DAY_MS = 86_400_000;
const CLIENT_ID_LENGTH_MAX = 64;

/** A client that is built in, registered or described by a document. */
export type KnownClient = Pick<OauthClientEntity, 'name' | 'organisationId' | 'metadata' | 'sealedSecret'> & {
  readonly clientId: string;
  readonly kind: ClientKind;
};

const BUILT_IN: KnownClient = {
  ...{ clientId: CLI_CLIENT.id, name: CLI_CLIENT.name, kind: 'registered', organisationId: null },
  metadata: {
    application_type: 'native',
    redirect_uris: [CLI_CLIENT.redirectUri],
    grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    token_endpoint_auth_method: 'none',
  },
  sealedSecret: null,
};

/**
 * Clients of the OAuth server: the built-in one, those of administrators, those that have
 * registered themselves, and documents.
 */
@Injectable()
export class OauthClients {
  constructor(
    private readonly transactions: OauthTransactions,
    private readonly secrets: Secrets,
    private readonly documents: ClientDocuments,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'OAUTH_PRIVATE_SCHEMES'>,
  ) {}

  /** Storage of clients in the form that the protocol engine expects. */
  get adapter(): Adapter {
    return {
      ...NO_STORAGE,
      find: (id) => this.find(id),
      upsert: (id, metadata) => this.register(id, metadata),
    };
  }

  /**
   * Returns an active client; null for any other. Throws `invalid_client` for a document that
   * cannot be used.
   */
  async row(clientId: string): Promise<KnownClient | null> {
    if (clientId === CLI_CLIENT.id) return BUILT_IN;
    if (this.documents.isDocument(clientId)) {
      const { client, scope } = await this.documents.clientOf(clientId);
      const metadata = { ...client, scope };
      return {
        ...{ clientId, name: client.client_name, kind: 'document', metadata },
        ...{ organisationId: null, sealedSecret: null },
      };
    }
    if (clientId.length > CLIENT_ID_LENGTH_MAX) return null;
    const where = { id: clientId, status: 'active' as const };
    const row = await this.transactions.manager.findOneBy(OauthClientEntity, where);
    return row === null ? null : { ...row, clientId };
  }

  /** Whether the client is built in or an administrator has registered it. */
  async isRegistered(clientId: string): Promise<boolean> {
    return !this.documents.isDocument(clientId) && (await this.row(clientId))?.kind === 'registered';
  }

  /**
   * Returns the rules for the redirect addresses of a client; clients that an administrator
   * registered may use more addresses.
   */
  redirectRules(isPreRegistered: boolean): RedirectUriOptions {
    return { privateUseRedirectUris: this.settings.OAUTH_PRIVATE_SCHEMES, isPreRegistered };
  }

  private async find(clientId: string): Promise<AdapterPayload | undefined> {
    const row = await this.row(clientId);
    if (row === null) return undefined;
    // The scope of the registration is for the admin API only: the protocol engine would refuse
    // scopes of resources in it.
    const { scope: _scope, ...metadata } = row.metadata as AdapterPayload;
    const binding = oauthClientBinding(clientId);
    if (row.sealedSecret === null) return { ...metadata, client_id: clientId };
    try {
      const secret = unseal(this.secrets.sealingKeyring, row.sealedSecret, binding).toString('utf8');
      return { ...metadata, client_secret: secret, client_id: clientId };
    } catch {
      // A client whose secret cannot be opened must get another one before it can authenticate.
      return undefined;
    }
  }

  private async register(clientId: string, payload: AdapterPayload): Promise<void> {
    const call = currentOauthCall();
    if (call?.registration == null) throw new Error('Only registrations save clients.');
    const { name, scope } = call.registration;
    const { client_id: _id, client_secret: secret, ...metadata } = payload;
    const network = networkOf(call.request.clientIp ?? '');
    await this.assertRoom(network);
    await this.transactions.manager.insert(OauthClientEntity, {
      id: clientId,
      kind: 'dynamic',
      name,
      metadata: { ...metadata, scope },
      sealedSecret:
        secret === undefined ? null : seal(this.secrets.sealingKeyring, secret, oauthClientBinding(clientId)),
      createdNetwork: network.slice(0, 64),
    });
  }

  /**
   * Throws `temporarily_unavailable` when a network, or all networks together, have registered too
   * many clients.
   */
  private async assertRoom(network: string): Promise<void> {
    const { manager } = this.transactions;
    const today = {
      createdNetwork: network.slice(0, 64),
      createdAt: MoreThan(new Date(Date.now() - DAY_MS)),
    };
    const [ofNetwork, all] = await Promise.all([
      manager.countBy(OauthClientEntity, today),
      manager.countBy(OauthClientEntity, { kind: 'dynamic' }),
    ]);
    if (ofNetwork < PER_NETWORK_AND_DAY && all < DYNAMIC_MAX) return;
    const who = ofNetwork < PER_NETWORK_AND_DAY ? 'This installation' : 'Your network';
    throw Object.assign(
      new (oidcErrors().CustomOIDCProviderError)(
        'temporarily_unavailable',
        `${who} has registered too many clients.`,
      ),
      { status: 429, statusCode: 429, expose: true },
    );
  }
}
