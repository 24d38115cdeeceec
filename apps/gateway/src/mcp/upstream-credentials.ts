import type { IssuedCredentials } from '@gw/cloud-identities';
import {
  mcpAuthBinding,
  type McpAuthContent,
  type McpServerDocument,
  type OAuthClient,
  type SecretUse,
} from '@gw/contracts';
import { GatewayError, unseal, VendorError, type Keyring } from '@gw/kernel';
import { own, ownObject, type AccessCaller, type JsonObject } from '@gw/mcp';
import type { IdentityTokens } from './identity-tokens';
import type { UpstreamConnections } from './upstream-connections';
import type { SecretResolver } from '@gw/secret-managers';

export interface CredentialParts {
  /** Opens sealed credentials. */
  readonly ring: Keyring;
  readonly secrets: SecretResolver;
  readonly issued: Pick<IssuedCredentials, 'of'>;
  readonly connections: UpstreamConnections;
  readonly identity: IdentityTokens;
}

type Headers = Readonly<Record<string, string>>;

/** The headers with which the gateway signs in at upstream servers. */
export class UpstreamCredentials {
  private readonly contents = new WeakMap<McpServerDocument, McpAuthContent>();
  /** Headers that the integration itself contains. */
  private readonly known = new WeakMap<McpServerDocument, Headers>();

  constructor(private readonly parts: CredentialParts) {}

  /**
   * Headers of every request to a server for a caller: the credential, and a signed token about the caller where the server
   * wants one. A promise only where they must be read elsewhere. Throws a `GatewayError` when one of them cannot be had, and a
   * denial when the user must connect first.
   */
  headersOf(server: McpServerDocument, caller: AccessCaller): Headers | Promise<Headers> {
    const credential = this.credentialOf(server, caller);
    return this.parts.identity.isWanted(server) ? this.withIdentity(server, caller, credential) : credential;
  }

  private async withIdentity(
    server: McpServerDocument,
    caller: AccessCaller,
    credential: Headers | Promise<Headers>,
  ): Promise<Headers> {
    const [own, identity] = await Promise.all([credential, this.parts.identity.headersOf(server, caller)]);
    return { ...own, ...identity };
  }

  private credentialOf(server: McpServerDocument, { userId }: AccessCaller): Headers | Promise<Headers> {
    switch (server.authType) {
      case 'none':
        return NO_HEADERS;
      case 'oauth_auto':
      case 'token_exchange':
      case 'id_jag':
        return this.ofUser(server, userId);
      case 'headers':
        return this.known.get(server) ?? this.configured(server);
      case 'oauth_client_credentials':
        return this.issued(server);
    }
  }

  private async ofUser(server: McpServerDocument, userId: string | null): Promise<Headers> {
    return { authorization: `Bearer ${await this.parts.connections.tokenOf(server, userId)}` };
  }

  private async configured(server: McpServerDocument): Promise<Headers> {
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
    return { ...headers, ...(Object.fromEntries(referenced) as Headers) };
  }

  private async issued(server: McpServerDocument): Promise<Headers> {
    const { workspaceId, configurations } = server;
    const client = clientOf(configurations, await this.clientSecretOf(server));
    try {
      const issued = await this.parts.issued.of(
        { kind: 'oauth_client', client },
        { workspaceId, mayUseOwn: false },
      );
      return issued.kind === 'bearer' ? { authorization: `Bearer ${issued.token}` } : {};
    } catch (cause) {
      if (!(cause instanceof VendorError)) throw cause;
      throw new GatewayError('provider_credential_failed', { detail: { mcp: cause.message }, cause });
    }
  }

  private async clientSecretOf(server: McpServerDocument): Promise<string> {
    const { clientSecret = '', secrets = [] } = this.contentOf(server);
    const referenced = secrets.find(({ target }) => target === 'client_secret');
    return referenced === undefined ? clientSecret : this.secretOf(referenced, server);
  }

  private async secretOf({ location }: SecretUse, { organisationId }: McpServerDocument): Promise<string> {
    if (location === null)
      throw new GatewayError('provider_credential_failed', {
        message: 'The workspace may not use the secret reference of the MCP server.',
      });
    return this.parts.secrets.resolve(location, organisationId);
  }

  private contentOf(server: McpServerDocument): McpAuthContent {
    const known = this.contents.get(server);
    if (known !== undefined) return known;
    const { sealedAuth, organisationId, integrationId } = server;
    const binding = mcpAuthBinding(organisationId, integrationId);
    const content =
      sealedAuth === null
        ? {}
        : (JSON.parse(unseal(this.parts.ring, sealedAuth, binding).toString('utf8')) as McpAuthContent);
    this.contents.set(server, content);
    return content;
  }
}

const NO_HEADERS: Headers = Object.freeze({});
const HEADER_TARGET = 'headers.';

function clientOf(configurations: JsonObject, secret: string): OAuthClient {
  const client = ownObject(configurations, 'oauth_client_credentials');
  const text = (name: string): string | null => {
    const value = own(client, name);
    return typeof value === 'string' ? value : null;
  };
  return {
    ...{ endpoint: text('token_endpoint') ?? '', id: text('client_id') ?? '', secret, scope: text('scope') },
    ...{ audience: null, resource: null, method: 'client_secret_post' },
  };
}
