import { mcpConnectionBinding, type McpConnectionEntity } from '@gw/entities';
import { digestOf, seal, unseal, type Keyring, type ProofKeyText } from '@gw/kernel';

/** A client of ours at an authorization server of an upstream. */
export interface UpstreamClient {
  readonly id: string;
  /** Null: a public client. */
  readonly secret: string | null;
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  /**
   * The integration whose secret in a secret manager is read for each request, while the integration
   * names this issuer. Absent: `secret` is all.
   */
  readonly mapped?: ClientSource;
  /** With `private_key_jwt`: the integration whose key signs each request, while the integration names this issuer. */
  readonly signed?: ClientSource & {
    /** Algorithms that the authorization server announces; empty: none. */
    readonly announced: readonly string[];
  };
}

/** The place of a configured client's secret, which goes to the named authorization server alone. */
export interface ClientSource {
  readonly integrationId: string;
  readonly issuer: string;
}

/** Sealed part of a connection: the tokens, and the endpoints that refresh and revoke them. */
export interface ConnectionTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly client: UpstreamClient;
  /** Pinned when the user connects: a refresh discovers nothing. */
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  readonly resource: string;
  /** The key that the tokens are bound to. Absent: they are bearer tokens. */
  readonly proofKey?: ProofKeyText;
}

type Owner = Pick<McpConnectionEntity, 'organisationId' | 'serverId' | 'userId'>;

export const sealTokens = (ring: Keyring, owner: Owner, tokens: ConnectionTokens): string =>
  seal(ring, JSON.stringify(tokens), mcpConnectionBinding(owner));

export const openTokens = (ring: Keyring, owner: Owner, sealed: string): ConnectionTokens =>
  JSON.parse(unseal(ring, sealed, mcpConnectionBinding(owner)).toString('utf8')) as ConnectionTokens;

/** Version of a connection's document. Differs between connections that replace each other. */
export const connectionVersion = ({ id, version }: Pick<McpConnectionEntity, 'id' | 'version'>): string =>
  digestOf('mcp/connection-version', [id, String(version)]).slice(0, 22);
