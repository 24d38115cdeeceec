import type { LossMode } from '@gw/kernel';
import type { AgentCatalogueDocument, AgentServerDocument, CardKeyDocument } from './agent-documents';
import type { CallerDocument } from './caller-documents';
import type {
  McpCatalogueDocument,
  McpConnectionDocument,
  McpServerDocument,
  McpToolsetDocument,
} from './mcp-documents';
import type { SecretLocation } from './secret-use';
/**
 * The kinds of documents in the read model: the control plane's data for gateways, as flat,
 * immutable documents. A document is addressed by its key (`documentKey`), has a version that
 * changes with every write, and contains secrets only in encrypted form.
 */
export type DocumentKind =
  | 'api_key'
  | 'ended_api_key'
  | 'organisation'
  | 'workspace'
  | 'provider'
  | 'config'
  | 'guardrail'
  | 'prompt'
  | 'prompt_version'
  | 'mcp_server'
  | 'agent_server'
  | 'agent_catalogue'
  | 'card_key'
  | 'mcp_toolset'
  | 'mcp_catalogue'
  | 'access_token'
  | 'oauth_grant'
  | 'user'
  | 'signing_key'
  | 'trusts'
  | 'workspace_slug';

export interface RateLimitRule {
  /** `concurrency` limits the requests that are in flight at the same time. */
  readonly type: 'requests' | 'tokens' | 'concurrency';
  /** Null if and only if the type is `concurrency`. */
  readonly unit: 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw' | null;
  /** 0 blocks all requests. */
  readonly value: number;
  /** Absent: `fixed`. */
  readonly window?: 'fixed' | 'sliding';
  /** Only for tokens. Absent: `standard`. */
  readonly enforcement?: Enforcement;
  readonly onOutage?: OutageMode;
}

/**
 * With `strict`, the whole estimate of a request must fit, so that the limit is never exceeded;
 * with `standard`, requests are admitted while anything remains.
 */
export type Enforcement = 'strict' | 'standard';

/**
 * Behaviour of a limit while its counters are unreachable: `hold` continues within a local share,
 * `refuse` refuses requests.
 */
export type OutageMode = 'hold' | 'refuse';

export interface UsageLimitRule {
  readonly type: 'cost' | 'tokens' | 'requests';
  /** USD if the type is `cost`. */
  readonly creditLimit: number;
  readonly alertThreshold: number | null;
  readonly periodicReset: 'weekly' | 'monthly' | null;
  readonly periodicResetDays: number | null;
  readonly nextResetAt: string | null;
  readonly status: 'active' | 'exhausted';
  /**
   * ISO 8601. Usage before this time does not count. A periodic reset sets it to the period's
   * boundary, so that the reset happens once.
   */
  readonly lastResetAt?: string | null;
  /** Absent: `standard`. */
  readonly enforcement?: Enforcement;
  readonly onOutage?: OutageMode;
}

/**
 * A condition of a policy. `value` and `excludes` list alternatives; `*` matches any present value.
 */
export interface PolicyCondition {
  readonly key: string;
  readonly value?: string | readonly string[];
  readonly excludes?: string | readonly string[];
}

interface PolicyRule {
  readonly id: string;
  readonly name: string | null;
  /** All conditions must hold. */
  readonly conditions: readonly PolicyCondition[];
  /** Each combination of values has its own counter. Empty: one counter for all. */
  readonly groupBy: readonly string[];
}

export interface UsageLimitPolicyRule extends PolicyRule {
  readonly limit: UsageLimitRule;
  /**
   * Times (ISO 8601) of resets of single counters in the current period, by value key. Absent:
   * none.
   */
  readonly resets?: Readonly<Record<string, string>>;
}

export interface RateLimitPolicyRule extends PolicyRule {
  readonly target: 'llm' | 'mcp_tools';
  readonly limit: RateLimitRule;
}

/**
 * An API key, addressed by the HMAC of its secret. A rotated key has one document per valid secret.
 */
export interface ApiKeyDocument {
  readonly kind: 'api_key';
  readonly version: string;
  readonly id: string;
  /** Owner of the counters of its limits. Absent: the key itself. */
  readonly limitsId?: string;
  readonly name: string;
  readonly type: 'organisation-service' | 'workspace-service' | 'workspace-user';
  readonly organisationId: string;
  /** Null for an organisation (admin) key. */
  readonly workspaceId: string | null;
  readonly userId: string | null;
  readonly scopes: readonly string[];
  readonly status: 'active' | 'exhausted' | 'expired' | 'archived';
  /**
   * ISO 8601. The secret is refused from then on. Includes the end of a rotation's transition
   * period.
   */
  readonly expiresAt: string | null;
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
  readonly defaults: {
    readonly metadata: Readonly<Record<string, string>>;
    /** Slug or id of a config of the workspace. */
    readonly config: string | null;
    readonly allowConfigOverride: boolean;
  };
  /** MCP servers and tools to which the key is restricted. Absent: no restriction. */
  readonly mcp?: McpKeyAccess;
}

/** Restrictions of a key to MCP servers. An absent member does not restrict. */
export interface McpKeyAccess {
  /** Slugs of servers. */
  readonly servers?: readonly string[];
  /** `server/tool`, or `server/*` for all of a server. */
  readonly tools?: readonly string[];
  /** True: of the tools, only those whose approved definition says that they change nothing. */
  readonly readOnly?: boolean;
}

/**
 * The owner of a key that is no longer valid, needed by the request log. Addressed by the HMAC of
 * the secret; it never changes.
 */
export interface EndedApiKeyDocument {
  readonly kind: 'ended_api_key';
  readonly version: string;
  /** The id of the key. */
  readonly id: string;
  readonly organisationId: string;
}

export interface OrganisationDocument {
  readonly kind: 'organisation';
  readonly version: string;
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'archived';
  readonly blockInlineConfig: boolean;
  /** False: the request log contains only metrics, no bodies. */
  readonly logBodies: boolean;
  /**
   * True: requests in all workspaces are refused if they cannot be recorded. Absent: they are
   * served.
   */
  readonly strictAudit?: boolean;
  /** A validated JSON Schema of the metadata of requests. Absent: none. */
  readonly requestMetadataSchema?: Readonly<Record<string, unknown>> | null;
  /** Guardrails of all workspaces, except those that exclude them. Absent: none. */
  readonly guardrails?: DefaultGuardrails;
}

/**
 * Slugs or ids of guardrails, in order of execution. Look them up with `documentKey.guardrail` and
 * the workspace of the request.
 */
export interface DefaultGuardrails {
  readonly input: readonly string[];
  readonly output: readonly string[];
}

export interface WorkspaceDocument {
  readonly kind: 'workspace';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly organisationId: string;
  readonly status: 'active' | 'archived';
  /** Forbids inline configs in this workspace. False does not override the organisation. */
  readonly blockInlineConfig: boolean;
  /** False: no bodies in the request log, whatever the organisation's setting. */
  readonly logBodies: boolean;
  /**
   * True: requests that cannot be recorded are refused, whatever the organisation's setting.
   * Absent: the organisation decides.
   */
  readonly strictAudit?: boolean;
  /**
   * Handling of members that a provider cannot express, unless a config sets it. Absent: `strict`.
   */
  readonly translationLoss?: LossMode;
  /** Whether requests may carry `x-portkey-*` headers. Absent: not. */
  readonly acceptsPortkeyHeaders?: boolean;
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
  /** Absent: none. */
  readonly policies?: {
    readonly usageLimits: readonly UsageLimitPolicyRule[];
    readonly rateLimits: readonly RateLimitPolicyRule[];
  };
  readonly defaults: {
    readonly metadata: Readonly<Record<string, string>>;
    /** Id of the config of requests that name none. */
    readonly config: string | null;
    /**
     * Id of the config of user keys without a config of their own; takes precedence over `config`.
     */
    readonly userKeyConfig?: string | null;
    /** Added to the guardrails of the organisation. Absent: none. */
    readonly guardrails?: DefaultGuardrails;
  };
  /** Directions in which the workspace skips the organisation's default guardrails. */
  readonly guardrailExclusions?: readonly ('input' | 'output')[];
}

export interface ProviderModel {
  readonly slug: string;
  readonly enabled: boolean;
  readonly isCustom: boolean;
  readonly baseModelSlug: string | null;
  readonly customHost: string | null;
  readonly customHeaders: Readonly<Record<string, string>>;
  /** US cents per token. Null: the catalogue's price applies. */
  readonly price: { readonly input: number; readonly output: number } | null;
  /**
   * The complete price of a custom model, in the format of `libs/pricing`; takes precedence over
   * `price`. Absent or null: none.
   */
  readonly pricingConfig?: Readonly<Record<string, unknown>> | null;
}

/** Limits of one workspace on an integration, across all its providers. */
export interface IntegrationLimits {
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
}

/**
 * A saved provider (`@slug`, or a virtual key's slug) of one workspace, joined with its
 * integration.
 */
export interface ProviderDocument {
  readonly kind: 'provider';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly integrationId: string;
  readonly status: 'active' | 'exhausted' | 'expired' | 'archived';
  readonly expiresAt: string | null;
  /** Provider id of `libs/providers`, such as `openai`. */
  readonly providerId: string;
  /**
   * `seal()` of the JSON `{ apiKey?: string, configurations: Record<string, unknown> }`, bound to
   * `credentialBinding(workspaceId, id)`. Null for a provider without credentials.
   */
  readonly sealedCredential: string | null;
  /**
   * Configurations that are not secret: `custom_host`, regions, resource names. `custom_headers`
   * are in `sealedCredential`.
   */
  readonly configurations: Readonly<Record<string, unknown>>;
  readonly allowAllModels: boolean;
  readonly models: readonly ProviderModel[];
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
  /** Absent: none. */
  readonly integrationLimits?: IntegrationLimits;
  /** Factors on every price of the integration, `{ multiplier: { … } }`. Absent or null: none. */
  readonly pricingAdjustments?: Readonly<Record<string, unknown>> | null;
}

export interface ConfigDocument {
  readonly kind: 'config';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly versionId: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly status: 'active' | 'archived';
  /** The config as saved, validated by `libs/config-schema`. */
  readonly config: unknown;
}

/**
 * A saved guardrail of a workspace or of an organisation. Each workspace finds the organisation's
 * guardrails under its own keys.
 */
export interface GuardrailDocument {
  readonly kind: 'guardrail';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly versionId: string;
  readonly name: string;
  readonly organisationId: string;
  /** Null for a guardrail of the whole organisation. */
  readonly workspaceId: string | null;
  readonly status: 'active' | 'archived';
  /** Guardrails for `mcp_tools` do not check requests to models. */
  readonly target: 'llm' | 'mcp_tools';
  /** As saved, validated by `libs/guardrails`, without the parameters that are secret. */
  readonly checks: readonly SavedGuardrailCheck[];
  readonly actions: Readonly<Record<string, unknown>>;
  /**
   * `seal()` of `GuardrailSecretContent` as JSON, bound to `guardrailBinding(organisationId, id)`.
   * Null if no check has secrets.
   */
  readonly sealedSecrets: string | null;
}

export interface SavedGuardrailCheck {
  readonly id: string;
  readonly name?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly is_enabled?: boolean;
  readonly timeout?: number;
}

/** Secret parameters by the index of their check. */
export type GuardrailSecrets = Readonly<Record<number, Readonly<Record<string, unknown>>>>;

/** The decrypted content of `GuardrailDocument.sealedSecrets`. */
export interface GuardrailSecretContent {
  readonly parameters: GuardrailSecrets;
  /**
   * Locations of referenced secrets by `<id>#<key>` of the reference. Null: the workspace may not
   * use it.
   */
  readonly locations: Readonly<Record<string, SecretLocation | null>>;
}

/**
 * A prompt or a partial with its versions and labels. It is addressed by its organisation because
 * workspaces share prompts, so a reader must check `workspaceId` and `sharedWith`.
 */
export interface PromptDocument {
  readonly kind: 'prompt';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly type: 'prompt' | 'partial';
  readonly organisationId: string;
  /** The workspace that owns the prompt. */
  readonly workspaceId: string;
  /** Further workspaces that may use the prompt, by id. */
  readonly sharedWith: 'organisation' | readonly string[];
  /** Ids of the versions; the first one is version 1. */
  readonly versions: readonly string[];
  readonly publishedVersionId: string;
  /** Version ids by label name. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * An immutable version of a prompt. Access is decided by its `PromptDocument`, through which it
 * must be looked up.
 */
export interface PromptVersionDocument {
  readonly kind: 'prompt_version';
  readonly version: string;
  readonly id: string;
  readonly promptId: string;
  readonly organisationId: string;
  /** Starts at 1. */
  readonly number: number;
  /** A template, or JSON with templates in it; see `libs/prompts`. */
  readonly template: string;
  readonly isRaw: boolean;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly model: string | null;
  /** Slug of a saved provider of the workspace that uses the prompt. */
  readonly virtualKey: string | null;
  readonly functions: readonly unknown[] | null;
  readonly tools: readonly unknown[] | null;
  /** The value in a list of one item, because it may be a string or an object. Null: none. */
  readonly toolChoice: readonly [unknown] | null;
}

export type ReadModelDocument =
  | ApiKeyDocument
  | EndedApiKeyDocument
  | OrganisationDocument
  | WorkspaceDocument
  | ProviderDocument
  | ConfigDocument
  | GuardrailDocument
  | PromptDocument
  | PromptVersionDocument
  | McpServerDocument
  | McpToolsetDocument
  | McpCatalogueDocument
  | McpConnectionDocument
  | AgentServerDocument
  | AgentCatalogueDocument
  | CardKeyDocument
  | CallerDocument;

/**
 * `api_key:<hash>`, `ended_api_key:<hash>`, `organisation:<id>`, `workspace:<id>`,
 * `provider:<workspace id>:<slug>`, `config:<workspace id>:<slug or id>`, `guardrail:<workspace
 * id>:<slug or id>`, `prompt:<organisation id>:<slug or id>`, `prompt_version:<organisation
 * id>:<id>`, `mcp_server:<workspace id>:<slug or id>`, `mcp_toolset:<workspace id>:<slug or id>`,
 * `mcp_catalogue:<workspace id>`, `mcp_connection:<server id>:<user id>`,
 * `agent_server:<workspace id>:<slug or id>`, `agent_catalogue:<workspace id>`, `card_key:current`,
 * `access_token:<hash>`, `oauth_grant:<id>`, `user:<organisation id>:<user id>`,
 * `signing_key:current`, `trusts:<SHA-256 of the issuer, hex>`, `workspace_slug:<organisation
 * id>:<slug>`.
 */
export type DocumentKey = string;

export const documentKey = {
  apiKey: (hash: string): DocumentKey => `api_key:${hash}`,
  endedApiKey: (hash: string): DocumentKey => `ended_api_key:${hash}`,
  organisation: (id: string): DocumentKey => `organisation:${id}`,
  workspace: (id: string): DocumentKey => `workspace:${id}`,
  provider: (workspaceId: string, slug: string): DocumentKey => `provider:${workspaceId}:${slug}`,
  config: (workspaceId: string, slugOrId: string): DocumentKey => `config:${workspaceId}:${slugOrId}`,
  guardrail: (workspaceId: string, slugOrId: string): DocumentKey => `guardrail:${workspaceId}:${slugOrId}`,
  prompt: (organisationId: string, slugOrId: string): DocumentKey => `prompt:${organisationId}:${slugOrId}`,
  promptVersion: (organisationId: string, id: string): DocumentKey =>
    `prompt_version:${organisationId}:${id}`,
  mcpServer: (workspaceId: string, slugOrId: string): DocumentKey => `mcp_server:${workspaceId}:${slugOrId}`,
  mcpToolset: (workspaceId: string, slugOrId: string): DocumentKey =>
    `mcp_toolset:${workspaceId}:${slugOrId}`,
  mcpCatalogue: (workspaceId: string): DocumentKey => `mcp_catalogue:${workspaceId}`,
  mcpConnection: (serverId: string, userId: string): DocumentKey => `mcp_connection:${serverId}:${userId}`,
  agentServer: (workspaceId: string, slugOrId: string): DocumentKey =>
    `agent_server:${workspaceId}:${slugOrId}`,
  agentCatalogue: (workspaceId: string): DocumentKey => `agent_catalogue:${workspaceId}`,
  /** The key of the installation that signs cards of agents. */
  cardKey: (): DocumentKey => 'card_key:current',
  accessToken: (hash: string): DocumentKey => `access_token:${hash}`,
  oauthGrant: (id: string): DocumentKey => `oauth_grant:${id}`,
  user: (organisationId: string, userId: string): DocumentKey => `user:${organisationId}:${userId}`,
  signingKey: (): DocumentKey => 'signing_key:current',
  trusts: (issuerDigest: string): DocumentKey => `trusts:${issuerDigest}`,
  workspaceSlug: (organisationId: string, slug: string): DocumentKey =>
    `workspace_slug:${organisationId}:${slug}`,
} as const;
