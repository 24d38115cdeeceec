import type { DocumentKey, ReadModelDocument } from './documents';

/**
 * Paths of the HTTP routes between our own processes. Every call needs `Authorization: Bearer
 * <SERVICE_TOKEN>`; without it the response is 401. They are served on the same port as the public
 * routes.
 */
export const INTERNAL = {
  /** POST `DocumentsRequest` → `DocumentsResponse`, for at most 256 keys. Admin API. */
  documents: '/internal/v1/documents',
  /**
   * GET `?after=<sequence>`: an endless stream of newline-delimited `ControlPlaneEvent`s. Admin
   * API.
   */
  events: '/internal/v1/events',
  /**
   * POST `{ workspace_id, status }` → `{ id }`: registers a batch that the gateway runs itself.
   * Admin API.
   */
  batches: '/internal/v1/batches',
  /** POST `GatewayPresence`, by every gateway every 30 s. Admin API. */
  gateways: '/internal/v1/gateways',
  /**
   * POST `{ key }`: reports an API key whose hash a gateway found only with a previous master key.
   * Admin API.
   */
  earlierKeys: '/internal/v1/api-keys/earlier',
  /**
   * POST → `ClaimResponse`: creates a token that signs the owner of an installation in once. Admin
   * API.
   */
  claims: '/internal/v1/claims',
  /**
   * POST `McpRefreshRequest` → `McpRefreshResponse`: refreshes the tokens of a connection to an
   * upstream MCP server. Admin API.
   */
  mcpConnectionRefresh: '/internal/v1/mcp/connections/refresh',
  /** POST `McpLinkRequest` → `McpLinkResponse`: creates a connect link for a user. Admin API. */
  mcpConnectionLink: '/internal/v1/mcp/connections/link',
  /**
   * POST `McpApprovalRequest` → `McpApprovalResponse`: uses the approval of a call, or requests
   * one. Admin API.
   */
  mcpApproval: '/internal/v1/mcp/approvals',
  /**
   * POST `McpScopeRequest` → `McpLinkResponse`: reports that a server requires more scopes of a
   * connection. Admin API.
   */
  mcpConnectionScopes: '/internal/v1/mcp/connections/scopes',
  /** POST → `ScimSettleResponse`: settles a batch of pending SCIM users. Admin API. */
  scimSettle: '/internal/v1/scim/settle',
  /** POST → `McpSyncResponse`: reads a batch of MCP servers that are due. Admin API. */
  mcpSync: '/internal/v1/mcp/sync',
  /**
   * POST `McpListsChanged` → `McpSyncResponse`: reads a server that announced changed lists. Admin
   * API.
   */
  mcpListsChanged: '/internal/v1/mcp/lists-changed',
  /** POST → `AgentCardSyncResponse`: reads a batch of agents' cards that are due. Admin API. */
  agentCardSync: '/internal/v1/agents/cards/sync',
  /** POST → `HealthCheckResponse`: checks a batch of MCP servers that are due. Admin API. */
  mcpHealth: '/internal/v1/mcp/health',
  /** POST → `HealthCheckResponse`: checks a batch of agents that are due. Admin API. */
  agentHealth: '/internal/v1/agents/health',
  /**
   * POST `application/octet-stream` of journal frames; 200 `{ accepted }` once they are committed.
   * Worker.
   */
  logs: '/internal/v1/logs',
  /** GET: log records that could not be stored unchanged. Worker. */
  quarantinedLogs: '/internal/v1/logs/quarantine',
  /** POST `BalancesRequest` → `BalancesResponse`, for at most 256 counters. Worker. */
  balances: '/internal/v1/balances',
} as const;

export interface GatewayPresence {
  readonly id: string;
  /** Three numbers, separated by dots. */
  readonly version: string;
  /** The `client_auth` token of the deployment that the gateway belongs to. */
  readonly clientAuth?: string;
}

export interface ClaimResponse {
  /** Shown to the owner once; stored as a hash. */
  readonly token: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

export interface ScimSettleResponse {
  /** Number of users in the batch; 0 when none was pending. */
  readonly settled: number;
}

export interface McpLinkRequest {
  readonly serverId: string;
  readonly userId: string;
}

export interface McpScopeRequest extends McpLinkRequest {
  /** The scopes that the server named; at most 200. */
  readonly scopes: readonly string[];
}

export interface McpLinkResponse {
  /** Page on which the user connects; null for a user who may not use the server. */
  readonly url: string | null;
}

export interface McpRefreshRequest {
  readonly serverId: string;
  readonly userId: string;
  /** Version of the document whose access token the gateway holds. */
  readonly version: string;
}

/**
 * Result of a refresh. `refreshed`: the document has another version and must be read again.
 * `needs_consent`: the user must connect again. `missing`: there is no connection. `failed`: the
 * authorization server sent no usable response, and the old token stays.
 */
export interface McpRefreshResponse {
  readonly outcome: 'refreshed' | 'needs_consent' | 'missing' | 'failed';
  /** Version of the document now; null without a document. */
  readonly version: string | null;
}

export interface McpListsChanged {
  readonly integrationId: string;
}

export interface McpSyncResponse {
  /**
   * Number of servers in the batch, including those that could not be read; 0 when none was due.
   */
  readonly read: number;
}

export interface AgentCardSyncResponse {
  /**
   * Number of agents in the batch, including those whose card could not be read; 0 when none was
   * due.
   */
  readonly read: number;
}

export interface HealthCheckResponse {
  /** Number of servers or agents in the batch; 0 when none was due. */
  readonly checked: number;
}

export interface DocumentsRequest {
  readonly keys: readonly DocumentKey[];
}

export interface DocumentsResponse {
  /** The newest sequence that the documents are known to include. */
  readonly sequence: number;
  /**
   * One entry per requested key, except for documents that cannot be read now; null: there is no
   * such document.
   */
  readonly documents: Readonly<Record<DocumentKey, ReadModelDocument | null>>;
}

/** The query for the balances of counters that a gateway has lost. */
export interface BalancesRequest {
  readonly organisationId: string;
  readonly counters: readonly {
    readonly key: string;
    /** Start of the requested period, in Unix milliseconds. */
    readonly since: number;
  }[];
  /** Whether to include `perDay`. Absent: no. */
  readonly withBurn?: boolean;
}

/** One balance per requested counter, in order, all read at the same moment. */
export interface BalancesResponse {
  readonly balances: readonly {
    readonly period: number;
    /** In the unit of the counter: 1e-8 USD, tokens or requests. */
    readonly used: number;
    /**
     * Usage per day, in the same unit. Null: unknown. Absent: not requested, or the counter has no
     * budget.
     */
    readonly perDay?: number | null;
    /**
     * The part of `used` charged by each gateway that has charged recently, by the gateway's holder
     * name in its log records.
     */
    readonly holders: readonly (readonly [holder: string, used: number])[];
    /**
     * The part of `used` charged by each gateway that has charged nothing recently. A counter that
     * still knows such a gateway includes its part; any other counter must ignore it.
     */
    readonly former?: readonly (readonly [holder: string, used: number])[];
    /**
     * The part of `used` that price corrections have added; negative if they reduced it. Absent: 0.
     */
    readonly adjusted?: number;
  }[];
}
