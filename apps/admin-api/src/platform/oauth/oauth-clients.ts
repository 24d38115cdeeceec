import { OauthClientEntity, oauthClientBinding } from '@gw/entities';
import { networkOf, seal, unseal } from '@gw/kernel';
import { CLI_CLIENT, DEVICE_GRANT } from '@gw/oauth';
import { Injectable } from '@nestjs/common';
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import { MoreThan } from 'typeorm';
import { Secrets } from '../../settings';
import { currentOauthCall } from './oauth-call';
import { OauthTransactions } from './oauth-transactions';

const DYNAMIC_MAX = 100_000;
const PER_NETWORK_AND_DAY = 1_000;
const DAY_MS = 86_400_000;

type KnownClient = Pick<
  OauthClientEntity,
  'clientId' | 'name' | 'kind' | 'organisationId' | 'metadata' | 'sealedSecret'
>;

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

/** The clients of the OAuth server: the built-in one, those of administrators, and those that have registered themselves. */
@Injectable()
export class OauthClients {
  constructor(
    private readonly transactions: OauthTransactions,
    private readonly secrets: Secrets,
  ) {}

  /** The storage of clients, as the protocol engine asks for it. */
  get adapter(): Adapter {
    const none = (): Promise<undefined> => Promise.resolve(undefined);
    return {
      find: (id) => this.find(id),
      upsert: (id, metadata) => this.register(id, metadata),
      findByUserCode: none,
      findByUid: none,
      consume: none,
      destroy: none,
      revokeByGrantId: none,
    };
  }

  /** An active client; null for any other. */
  async row(clientId: string): Promise<KnownClient | null> {
    if (clientId === CLI_CLIENT.id) return BUILT_IN;
    return this.transactions.manager.findOneBy(OauthClientEntity, { clientId, status: 'active' });
  }

  /** Whether an administrator has registered the client, or it is built in. */
  async isRegistered(clientId: string): Promise<boolean> {
    return (await this.row(clientId))?.kind === 'registered';
  }

  private async find(clientId: string): Promise<AdapterPayload | undefined> {
    const row = clientId.length > 64 ? null : await this.row(clientId);
    if (row === null) return undefined;
    // The scope that a client registers with is ours alone: the protocol engine would refuse scopes of resources there.
    const { scope: _scope, ...metadata } = row.metadata as AdapterPayload;
    const binding = oauthClientBinding(clientId);
    const secret =
      row.sealedSecret === null
        ? {}
        : { client_secret: unseal(this.secrets.sealingKeyring, row.sealedSecret, binding).toString('utf8') };
    return { ...metadata, ...secret, client_id: clientId };
  }

  private async register(clientId: string, payload: AdapterPayload): Promise<void> {
    const call = currentOauthCall();
    if (call?.registration == null) throw new Error('Only registrations save clients.');
    const { name, scope } = call.registration;
    const { client_id: _id, client_secret: secret, ...metadata } = payload;
    const network = networkOf(call.request.clientIp ?? '');
    await this.assertRoom(network);
    await this.transactions.manager.insert(OauthClientEntity, {
      clientId,
      kind: 'dynamic',
      name,
      metadata: { ...metadata, scope },
      sealedSecret:
        secret === undefined ? null : seal(this.secrets.sealingKeyring, secret, oauthClientBinding(clientId)),
      createdNetwork: network.slice(0, 64),
    });
  }

  /** Throws `temporarily_unavailable` when a network or the world has registered too many clients. */
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
      new errors.CustomOIDCProviderError(
        'temporarily_unavailable',
        `${who} has registered too many clients.`,
      ),
      { status: 429, statusCode: 429, expose: true },
    );
  }
}
