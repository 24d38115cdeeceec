import { mcpConnectionBinding, type McpConnectionEntity } from '@gw/entities';
import { digestOf, seal, unseal, type Keyring, type ProofKeyText } from '@gw/kernel';

/** An OAuth client that Tollgate uses at the authorization server of an upstream. */
export interface UpstreamClient {
  readonly id: string;
  /** Client secret; null for a public client. */
  readonly secret: string | null;
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  /**
   * Integration whose secret in a secret manager is read for each request, as long as the
   * integration names this issuer. When absent, `secret` is the only secret.
   */
  readonly mapped?: ClientSource;
  /**
   * Set for `private_key_jwt`: the integration whose key signs each request, as long as the
   * integration names this issuer.
   */
  readonly signed?: ClientSource & {
    /** Signing algorithms that the authorization server announces; empty when it announces none. */
    readonly announced: readonly string[];
  };
}

/**
 * Integration that holds a configured client's secret. The secret is sent only to the named
 * authorization server.
 */
export interface ClientSource {
  readonly integrationId: string;
  readonly issuer: string;
}

/** Sealed part of a connection: the tokens, and the endpoints that refresh and revoke them. */
export interface ConnectionTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly client: UpstreamClient;
  /** Set when the user connects, because a refresh runs no discovery. */
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  readonly resource: string;
  /** Key to which the tokens are bound; absent for bearer tokens. */
  readonly proofKey?: ProofKeyText;
}

type Owner = Pick<McpConnectionEntity, 'organisationId' | 'serverId' | 'userId'>;

export const sealTokens = (ring: Keyring, owner: Owner, tokens: ConnectionTokens): string =>
  seal(ring, JSON.stringify(tokens), mcpConnectionBinding(owner));

export const openTokens = (ring: Keyring, owner: Owner, sealed: string): ConnectionTokens =>
  JSON.parse(unseal(ring, sealed, mcpConnectionBinding(owner)).toString('utf8')) as ConnectionTokens;

/**
 * Returns the version of a connection's document. It differs between connections that replace each
 * other.
 */
export const connectionVersion = ({ id, version }: Pick<McpConnectionEntity, 'id' | 'version'>): string =>
  digestOf('mcp/connection-version', [id, String(version)]).slice(0, 22);
