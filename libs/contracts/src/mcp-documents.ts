import type { ProofKeyText } from '@gw/kernel';
import type { ClientSecret } from './cloud-identity';
import type { SecretUse } from './secret-use';

/**
 * Kind of upstream of an integration: an MCP server, or an HTTP service that an OpenAPI document
 * describes.
 */
export type McpIntegrationKind = 'server' | 'openapi';

/** How the gateway signs in at an upstream MCP server. */
export type McpAuthType =
  | 'none'
  | 'headers'
  | 'oauth_auto'
  | 'oauth_client_credentials'
  /** Requests are signed with a key of AWS. */
  | 'aws_sigv4'
  /** The control plane obtains a token of the user by token exchange (RFC 8693). */
  | 'token_exchange'
  /**
   * The control plane obtains a token of the user with an assertion of the organisation's identity
   * provider (ID-JAG).
   */
  | 'id_jag';

/** Whether the control plane obtains users' tokens without their consent at the server. */
export const isExchanged = (type: McpAuthType): boolean => type === 'token_exchange' || type === 'id_jag';

/** Whether each user has a separate token at the server. */
export const isOfUsers = (type: McpAuthType): boolean => type === 'oauth_auto' || isExchanged(type);

/**
 * A capability that callers may see: approved, and enabled at the integration and at the server.
 */
export interface McpCapabilityFacts {
  /** Id of the capability, which mappings of guardrails name. */
  readonly id: string;
  readonly type: 'tool' | 'prompt' | 'resource' | 'resource_template';
  /** The server's own name, URI or URI template. */
  readonly name: string;
  /** The approved definition, as MCP lists it. */
  readonly definition: Readonly<Record<string, unknown>>;
  /**
   * The approved `HttpOperation` of `libs/mcp` that a call makes, for tools of an OpenAPI document.
   */
  readonly operation?: Readonly<Record<string, unknown>>;
}

/** A rule of an administrator about tools; `AccessRule` of `libs/mcp`. */
export interface McpAccessRule {
  readonly subject: {
    readonly type: 'user' | 'group' | 'role' | 'key' | 'client' | 'trust';
    readonly id: string;
  };
  /** Names of tools, or beginnings of names before a final `*`. */
  readonly tools: readonly string[];
  readonly effect: 'allow' | 'deny' | 'ask';
  /** `ArgumentCondition`s of `libs/mcp`; all must hold. */
  readonly when: readonly Readonly<Record<string, unknown>>[];
}

/** A guardrail that checks calls of a server's tools, their results, or both. */
export interface McpGuardrailMapping {
  /** Find it with `documentKey.guardrail` and the workspace. */
  readonly guardrailId: string;
  readonly runOn: readonly ('beforeToolCall' | 'afterToolCall')[];
  /** Ids of capabilities; empty: the whole server. */
  readonly capabilityIds: readonly string[];
}

/** The decrypted content of `McpServerDocument.sealedAuth`. */
export interface McpAuthContent {
  /** Headers with their values, for the type `headers`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly clientSecret?: string;
  /** Private key with which a client signs assertions about itself. */
  readonly privateKey?: string;
  /** Secret of a key of AWS, for the type `aws_sigv4`. */
  readonly secretAccessKey?: string;
  /** Secret of the client at the server's authorization server, for the type `id_jag`. */
  readonly serverClientSecret?: string;
  /**
   * Targets are `headers.<name>` and those of `ClientSecret`. Takes precedence over a value of the
   * same field.
   */
  readonly secrets?: readonly SecretUse[];
}

/** The members of `McpAuthContent` with the secrets of clients. */
export const CLIENT_SECRET_CONTENT = {
  client_secret: 'clientSecret',
  private_key: 'privateKey',
  secret_access_key: 'secretAccessKey',
  server_client_secret: 'serverClientSecret',
} as const satisfies Readonly<Record<ClientSecret, keyof McpAuthContent>>;

/** Facts of the upstream server that its administrators approved. */
export interface McpServerFacts {
  readonly name: string | null;
  readonly version: string | null;
  readonly title: string | null;
  readonly instructions: string | null;
  /** The member `capabilities` of the server. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/**
 * An MCP server of a workspace, joined with its integration. It exists while the workspace has
 * access to the server.
 */
export interface McpServerDocument {
  readonly kind: 'mcp_server';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly integrationId: string;
  readonly integrationSlug: string;
  /**
   * `openapi`: calls are requests to the HTTP service that an OpenAPI document describes. Absent:
   * to an MCP server.
   */
  readonly integrationKind?: McpIntegrationKind;
  /** URL of the MCP server, or base URL of the HTTP service. */
  readonly url: string;
  readonly transport: 'http' | 'sse';
  readonly authType: McpAuthType;
  /**
   * Configurations that are not secret, such as `passthrough_headers`, `forward_headers`,
   * `user_identity_forwarding` and `oauth_client_credentials` without its secret.
   */
  readonly configurations: Readonly<Record<string, unknown>>;
  /** `seal()` of `McpAuthContent` as JSON, bound to `mcpAuthBinding`. Null: nothing is secret. */
  readonly sealedAuth: string | null;
  /** Milliseconds that a call may take; null: 120,000. */
  readonly timeoutMs: number | null;
  /** Null: the control plane has not read the server yet. */
  readonly server: McpServerFacts | null;
  /** Capabilities in the order of the server, tools first. */
  readonly capabilities: readonly McpCapabilityFacts[];
  /**
   * URIs of resources that the server lists but callers may not read, because they are not approved
   * or disabled. Callers cannot read them through a matching template either. Absent: none.
   */
  readonly withheldResources?: readonly string[];
  readonly userAccess: {
    readonly isAllowed: boolean;
    /** Exceptions by user id. */
    readonly exceptions: Readonly<Record<string, boolean>>;
  };
  readonly rules: readonly McpAccessRule[];
  readonly defaultEffect: 'allow' | 'deny';
  readonly guardrails: readonly McpGuardrailMapping[];
  /** Prices of calls in integers of 1e-8 USD; null: calls cost nothing. */
  readonly prices: { readonly default: number; readonly tools: Readonly<Record<string, number>> } | null;
}

/** Changes to a member's tool as a toolset shows it; `ToolOverride` of `libs/mcp`. */
export interface McpToolOverride {
  readonly title?: string;
  readonly description?: string;
  /** Arguments that callers do not see and cannot send. */
  readonly hiddenArguments?: readonly string[];
  /** Arguments that the gateway sends with these values; hidden from callers. */
  readonly fixedArguments?: Readonly<Record<string, unknown>>;
}

/** A server of a toolset. Names are those of the server. */
export interface McpToolsetMember {
  /** Find it with `documentKey.mcpServer` and the workspace. */
  readonly serverId: string;
  /** Slug of the server. */
  readonly server: string;
  /** Prefix of the names of its tools and prompts; null: the slug. */
  readonly prefix: string | null;
  /** Names and URIs, or prefixes of them before a final `*`. Empty: everything. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Shown names of tools and prompts, by their own names. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Overrides by the name of the tool. */
  readonly overrides: Readonly<Record<string, McpToolOverride>>;
}

/**
 * A toolset: servers of a workspace under one URL. It grants no access; each server checks its own
 * calls.
 */
export interface McpToolsetDocument {
  readonly kind: 'mcp_toolset';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Text that clients may pass to their models; null for none. */
  readonly instructions: string | null;
  /** At most 50, in the order in which clients see them. */
  readonly members: readonly McpToolsetMember[];
  /** `search`: clients list two tools, with which they search and call the others. */
  readonly mode: 'list' | 'search';
  /** When a member fails: `partial` lists the others' capabilities, `strict` fails the list. */
  readonly failure: 'partial' | 'strict';
}

/** The servers of a workspace, whether or not it may use them now. */
export interface McpCatalogueDocument {
  readonly kind: 'mcp_catalogue';
  readonly version: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  /** The oldest `MCP_CATALOGUE_MAX` servers, oldest first. */
  readonly servers: readonly { readonly id: string; readonly slug: string }[];
}

/** Maximum number of servers under the URL of all servers of a workspace. */
export const MCP_CATALOGUE_MAX = 100;

/**
 * The decrypted content of `McpConnectionDocument.sealedTokens`. Refresh tokens stay in the control
 * plane.
 */
export interface McpConnectionContent {
  /**
   * Sent to the server as `Authorization: Bearer <accessToken>`, or as `DPoP` with a proof of
   * `proofKey`.
   */
  readonly accessToken: string;
  /** The key that the token is bound to, as a private JSON Web Key. Absent: a bearer token. */
  readonly proofKey?: ProofKeyText;
}

/**
 * A user's connection to an upstream MCP server. The document exists only while the user is
 * connected and may use the server.
 */
export interface McpConnectionDocument {
  readonly kind: 'mcp_connection';
  /** Version of the document; a request to refresh the tokens names it. */
  readonly version: string;
  readonly serverId: string;
  readonly userId: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  /** `seal()` of `McpConnectionContent` as JSON, bound to `connectionBinding` of `libs/mcp`. */
  readonly sealedTokens: string;
  /** ISO 8601, when the access token expires; null: unknown. */
  readonly expiresAt: string | null;
  /**
   * ISO 8601 time after which a call renews the token in the background. Absent: only when it has
   * nearly expired.
   */
  readonly renewFrom?: string;
  /**
   * False: there is no refresh token, so the user must connect again once the token has expired.
   */
  readonly isRefreshable: boolean;
  readonly status: 'connected';
  readonly scopes: readonly string[];
}
