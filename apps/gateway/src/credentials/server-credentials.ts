import type { IssuedCredentials } from '@gw/cloud-identities';
import type { McpAuthContent, McpAuthType, OAuthClient, SecretUse } from '@gw/contracts';
import { GatewayError, unseal, VendorError, type Keyring } from '@gw/kernel';
import { own, ownObject, type JsonObject } from '@gw/mcp';
import type { SecretResolver } from '@gw/secret-managers';

export interface ServerCredentialParts {
  /** Opens sealed credentials. */
  readonly ring: Keyring;
  readonly secrets: SecretResolver;
  readonly issued: Pick<IssuedCredentials, 'of'>;
}

/** An MCP server or agent as far as its own credential goes: the document, which names its integration. */
export interface SignedInServer {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly authType: McpAuthType;
  readonly configurations: JsonObject;
  /** Null: nothing is secret. */
  readonly sealedAuth: string | null;
}

export type CredentialHeaders = Readonly<Record<string, string>>;

const HEADER_TARGET = 'headers.';

/** The headers with which the gateway signs in at MCP servers and agents with the credential of their integration. */
export class ServerCredentials {
  private readonly contents = new WeakMap<SignedInServer, McpAuthContent>();

  constructor(private readonly parts: ServerCredentialParts) {}

  /**
   * Headers of every request to a server; none where each user has a credential. `binding` is the context that
   * `sealedAuth` is bound to. Throws a `GatewayError` when the credential cannot be had.
   */
  async headersOf(server: SignedInServer, binding: string): Promise<CredentialHeaders> {
    switch (server.authType) {
      case 'none':
      case 'oauth_auto':
      case 'token_exchange':
      case 'id_jag':
        return {};
      case 'headers':
        return this.configured(server, binding);
      case 'oauth_client_credentials':
        return this.issued(server, binding);
    }
  }

  private async configured(server: SignedInServer, binding: string): Promise<CredentialHeaders> {
    const { headers = {}, secrets = [] } = this.contentOf(server, binding);
    const referenced = await Promise.all(
      secrets
        .filter(({ target }) => target.startsWith(HEADER_TARGET))
        .map(async (use) => [use.target.slice(HEADER_TARGET.length), await this.secretOf(use, server)]),
    );
    return { ...headers, ...(Object.fromEntries(referenced) as CredentialHeaders) };
  }

  private async issued(server: SignedInServer, binding: string): Promise<CredentialHeaders> {
    const { workspaceId, configurations } = server;
    const client = clientOf(configurations, await this.clientSecretOf(server, binding));
    try {
      const issued = await this.parts.issued.of(
        { kind: 'oauth_client', client },
        { workspaceId, mayUseOwn: false },
      );
      return issued.kind === 'bearer' ? { authorization: `Bearer ${issued.token}` } : {};
    } catch (cause) {
      if (!(cause instanceof VendorError)) throw cause;
      throw new GatewayError('provider_credential_failed', { detail: { server: cause.message }, cause });
    }
  }

  private async clientSecretOf(server: SignedInServer, binding: string): Promise<string> {
    const { clientSecret = '', secrets = [] } = this.contentOf(server, binding);
    const referenced = secrets.find(({ target }) => target === 'client_secret');
    return referenced === undefined ? clientSecret : this.secretOf(referenced, server);
  }

  private async secretOf({ location }: SecretUse, { organisationId }: SignedInServer): Promise<string> {
    if (location === null)
      throw new GatewayError('provider_credential_failed', {
        message: 'The workspace may not use the secret reference of the server.',
      });
    return this.parts.secrets.resolve(location, organisationId);
  }

  private contentOf(server: SignedInServer, binding: string): McpAuthContent {
    const known = this.contents.get(server);
    if (known !== undefined) return known;
    const { sealedAuth } = server;
    const content =
      sealedAuth === null
        ? {}
        : (JSON.parse(unseal(this.parts.ring, sealedAuth, binding).toString('utf8')) as McpAuthContent);
    this.contents.set(server, content);
    return content;
  }
}

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
