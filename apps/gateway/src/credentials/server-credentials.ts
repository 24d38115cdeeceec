import type { IssuedCredentials, Issuing } from '@gw/cloud-identities';
import {
  CLIENT_SECRET_CONTENT,
  configuredClient,
  configuredSecret,
  type ClientSecret,
  type CloudIdentity,
  type McpAuthContent,
  type McpAuthType,
  type SecretUse,
} from '@gw/contracts';
import { GatewayError, keyProof, unseal, VendorError, type Keyring, type ProofKey } from '@gw/kernel';
import type { AccessCaller } from '@gw/mcp';
import type { SentRequest } from '@gw/mcp-client';
import { awsRequestHeaders } from '@gw/providers';
import type { SecretResolver } from '@gw/secret-managers';
import type { IdentifiedServer, IdentityTokens } from './identity-tokens';

/** The fields of an MCP server or agent that determine how the gateway signs in. */
export interface SignedInServer extends IdentifiedServer {
  readonly integrationId: string;
  readonly authType: McpAuthType;
  /** Sealed credential; null if the integration has no secrets. */
  readonly sealedAuth: string | null;
}

export interface ServerCredentialParts<Server extends SignedInServer> {
  /** Opens sealed credentials. */
  readonly ring: Keyring;
  readonly secrets: SecretResolver;
  readonly issued: Pick<IssuedCredentials, 'of' | 'drop'>;
  readonly identity: IdentityTokens;
  /** The context that `sealedAuth` of an integration is bound to. */
  readonly bindingOf: (organisationId: string, integrationId: string) => string;
  /**
   * Returns the token of a user at a server where each user has one. Throws a denial when the user
   * must connect first.
   */
  readonly tokenOf: (server: Server, userId: string | null) => Promise<UserToken>;
}

/** The access token of a user. */
export interface UserToken {
  readonly accessToken: string;
  /** The key that the token is bound to; null: a bearer token. */
  readonly proofKey: ProofKey | null;
}

export type CredentialHeaders = Readonly<Record<string, string>>;

/** Creates the headers with which the gateway signs in at MCP servers and agents. */
export class ServerCredentials<Server extends SignedInServer> {
  private readonly contents = new WeakMap<Server, McpAuthContent>();
  /** Headers whose values are stored in the integration itself. */
  private readonly known = new WeakMap<Server, CredentialHeaders>();

  constructor(private readonly parts: ServerCredentialParts<Server>) {}

  /**
   * Returns the headers of every request to a server for a caller: the credential, and a signed
   * token about the caller if the integration requests one. Returns a promise only if they must be
   * fetched. `caller` is null if the gateway calls on its own behalf. Throws a `GatewayError` when
   * one of the headers cannot be created, and a denial when the user must connect first. `at` is
   * the request for which a token bound to a key is proven; without it, the headers have no proof.
   */
  headersOf(
    server: Server,
    caller: AccessCaller | null,
    at: SentRequest | null = null,
  ): CredentialHeaders | Promise<CredentialHeaders> {
    const credential = this.credentialOf(server, caller?.userId ?? null, at);
    if (caller === null || !this.parts.identity.isWanted(server)) return credential;
    return this.withIdentity(server, caller, credential);
  }

  /**
   * Discards the token that the server refused if a token service issues it, so that the next
   * headers have a new one. Resolves to false for other credentials, and if the token was discarded
   * a moment ago. Throws as `headersOf` does.
   */
  async renew(server: Server): Promise<boolean> {
    if (server.authType !== 'oauth_client_credentials') return false;
    return this.parts.issued.drop(await this.clientOf(server), issuingOf(server));
  }

  /**
   * Returns the headers for one more attempt, after the server has refused `refused`: those with a
   * credential that a token service issued since then. Null: the credential is not an issued one,
   * or the refusal has another reason. Throws as `headersOf`.
   */
  async renewed(
    server: Server,
    caller: AccessCaller | null,
    refused: CredentialHeaders,
  ): Promise<CredentialHeaders | null> {
    if (server.authType !== 'oauth_client_credentials') return null;
    const isDropped = await this.renew(server);
    const headers = await this.headersOf(server, caller);
    return isDropped || headers['authorization'] !== refused['authorization'] ? headers : null;
  }

  private async withIdentity(
    server: Server,
    caller: AccessCaller,
    credential: CredentialHeaders | Promise<CredentialHeaders>,
  ): Promise<CredentialHeaders> {
    const [own, identity] = await Promise.all([credential, this.parts.identity.headersOf(server, caller)]);
    return { ...own, ...identity };
  }

  private credentialOf(
    server: Server,
    userId: string | null,
    at: SentRequest | null,
  ): CredentialHeaders | Promise<CredentialHeaders> {
    switch (server.authType) {
      case 'none':
        return NO_HEADERS;
      case 'oauth_auto':
      case 'token_exchange':
      case 'id_jag':
        return this.ofUser(server, userId, at);
      case 'headers':
        return this.known.get(server) ?? this.configured(server);
      case 'oauth_client_credentials':
        return this.issued(server);
      case 'aws_sigv4':
        return this.signed(server, at);
    }
  }

  /** The signature of one request. Without a request, only the secret is read. */
  private async signed(server: Server, at: SentRequest | null): Promise<CredentialHeaders> {
    const secret = await this.clientSecretOf(server, 'secret_access_key');
    if (at === null) return NO_HEADERS;
    return asCredential(() => awsRequestHeaders(server.configurations, secret, at, Date.now()));
  }

  private async ofUser(
    server: Server,
    userId: string | null,
    at: SentRequest | null,
  ): Promise<CredentialHeaders> {
    const { accessToken, proofKey } = await this.parts.tokenOf(server, userId);
    if (proofKey === null) return { authorization: `Bearer ${accessToken}` };
    const authorization = `DPoP ${accessToken}`;
    if (at === null) return { authorization };
    return { authorization, dpop: keyProof(proofKey, { ...at, accessToken, now: Date.now() }) };
  }

  private async configured(server: Server): Promise<CredentialHeaders> {
    const { headers = NO_HEADERS, secrets = [] } = this.contentOf(server);
    if (secrets.length === 0) {
      this.known.set(server, headers);
      return headers;
    }
    const referenced = await Promise.all(
      secrets
        .filter(({ target }) => target.startsWith(HEADER_TARGET))
        .map(async (use) => [use.target.slice(HEADER_TARGET.length), await this.secretOf(use, server)]),
    );
    return { ...headers, ...(Object.fromEntries(referenced) as CredentialHeaders) };
  }

  private async issued(server: Server): Promise<CredentialHeaders> {
    const client = await this.clientOf(server);
    return asCredential(async () => {
      const issued = await this.parts.issued.of(client, issuingOf(server));
      return issued.kind === 'bearer' ? { authorization: `Bearer ${issued.token}` } : {};
    });
  }

  private async clientOf(server: Server): Promise<CloudIdentity> {
    const { configurations } = server;
    const secret = await this.clientSecretOf(server, configuredSecret(configurations));
    return { kind: 'oauth_client', client: configuredClient(configurations, secret) };
  }

  private async clientSecretOf(server: Server, name: ClientSecret): Promise<string> {
    const content = this.contentOf(server);
    const referenced = content.secrets?.find(({ target }) => target === name);
    if (referenced !== undefined) return this.secretOf(referenced, server);
    return content[CLIENT_SECRET_CONTENT[name]] ?? '';
  }

  private async secretOf({ location }: SecretUse, { organisationId }: Server): Promise<string> {
    if (location === null)
      throw new GatewayError('provider_credential_failed', {
        message: 'The workspace may not use the secret reference of the server.',
      });
    return this.parts.secrets.resolve(location, organisationId);
  }

  private contentOf(server: Server): McpAuthContent {
    const known = this.contents.get(server);
    if (known !== undefined) return known;
    const { sealedAuth, organisationId, integrationId } = server;
    const binding = this.parts.bindingOf(organisationId, integrationId);
    const content =
      sealedAuth === null
        ? {}
        : (JSON.parse(unseal(this.parts.ring, sealedAuth, binding).toString('utf8')) as McpAuthContent);
    this.contents.set(server, content);
    return content;
  }
}

/** Creates headers, and converts a `VendorError` to the error that callers get. */
async function asCredential(
  make: () => CredentialHeaders | Promise<CredentialHeaders>,
): Promise<CredentialHeaders> {
  try {
    return await make();
  } catch (cause) {
    if (!(cause instanceof VendorError)) throw cause;
    throw new GatewayError('provider_credential_failed', { detail: { server: cause.message }, cause });
  }
}

/** Whether headers are valid for only one request, because they contain a signature or a proof. */
export const isOfOneRequest = (headers: CredentialHeaders): boolean =>
  headers['dpop'] !== undefined || headers['x-amz-date'] !== undefined;

const NO_HEADERS: CredentialHeaders = Object.freeze({});
const HEADER_TARGET = 'headers.';

const issuingOf = ({ workspaceId }: SignedInServer): Issuing => ({ workspaceId, mayUseOwn: false });
