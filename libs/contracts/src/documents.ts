import type { SecretLocation } from './secret-use';
/**
 * The read model: what the gateway knows of the control plane, as flat, immutable documents. A document is addressed by its
 * key (`documentKey`), carries a version that changes with every write, and never holds a secret in the clear.
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
  | 'prompt_version';

export interface RateLimitRule {
  /** `concurrency`: requests that are under way at the same time. */
  readonly type: 'requests' | 'tokens' | 'concurrency';
  /** Null for concurrency, and for it alone. */
  readonly unit: 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw' | null;
  /** 0 blocks everything. */
  readonly value: number;
  /** Absent: fixed. */
  readonly window?: 'fixed' | 'sliding';
  /** Of tokens, `strict`: the whole estimate must fit; absent: `standard`. */
  readonly enforcement?: Enforcement;
  readonly onOutage?: OutageMode;
}

/** `strict` never lets estimates pass the limit; `standard` admits while anything is left. */
export type Enforcement = 'strict' | 'standard';

/** What a limit does while its counters cannot be reached: go on within a local share, or refuse. */
export type OutageMode = 'hold' | 'refuse';

export interface UsageLimitRule {
  readonly type: 'cost' | 'tokens' | 'requests';
  /** USD for cost. */
  readonly creditLimit: number;
  readonly alertThreshold: number | null;
  readonly periodicReset: 'weekly' | 'monthly' | null;
  readonly periodicResetDays: number | null;
  readonly nextResetAt: string | null;
  readonly status: 'active' | 'exhausted';
  /** ISO 8601: use before it does not count. A periodic reset sets it to the boundary itself, so that it happens once. */
  readonly lastResetAt?: string | null;
  /** Absent: `standard`. */
  readonly enforcement?: Enforcement;
  readonly onOutage?: OutageMode;
}

/** `value` and `excludes` list alternatives; `*` is any present value. */
export interface PolicyCondition {
  readonly key: string;
  readonly value?: string | readonly string[];
  readonly excludes?: string | readonly string[];
}

interface PolicyRule {
  readonly id: string;
  readonly name: string | null;
  /** All must hold. */
  readonly conditions: readonly PolicyCondition[];
  /** Each combination of values is counted apart; empty: one counter for all. */
  readonly groupBy: readonly string[];
}

export interface UsageLimitPolicyRule extends PolicyRule {
  readonly limit: UsageLimitRule;
  /** Counters of single values that were reset in the current period: value key → ISO 8601. Absent: none. */
  readonly resets?: Readonly<Record<string, string>>;
}

export interface RateLimitPolicyRule extends PolicyRule {
  readonly target: 'llm' | 'mcp_tools';
  readonly limit: RateLimitRule;
}

/** Addressed by the HMAC of the secret, so a rotated key has one document for each live secret. */
export interface ApiKeyDocument {
  readonly kind: 'api_key';
  readonly version: string;
  readonly id: string;
  readonly name: string;
  readonly type: 'organisation-service' | 'workspace-service' | 'workspace-user';
  readonly organisationId: string;
  /** Null for an organisation (admin) key. */
  readonly workspaceId: string | null;
  readonly userId: string | null;
  readonly scopes: readonly string[];
  readonly status: 'active' | 'exhausted' | 'expired' | 'archived';
  /** ISO 8601. This secret is refused from then on; the end of a rotation's transition is folded in. */
  readonly expiresAt: string | null;
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
  readonly defaults: {
    readonly metadata: Readonly<Record<string, string>>;
    /** Slug or id of a config of the workspace. */
    readonly config: string | null;
    readonly allowConfigOverride: boolean;
  };
}

/** Whose a key was that works no more: what the log needs to name its owner, addressed by the HMAC of the secret. It never changes. */
export interface EndedApiKeyDocument {
  readonly kind: 'ended_api_key';
  readonly version: string;
  /** Of the key. */
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
  /** False: metrics only, no bodies in the log. */
  readonly logBodies: boolean;
  /** True: requests that can't be recorded are refused, in all workspaces. Absent: they are served. */
  readonly strictAudit?: boolean;
  /** JSON Schema, checked when it was saved, of the metadata of requests; absent: none. */
  readonly requestMetadataSchema?: Readonly<Record<string, unknown>> | null;
  /** For all of its workspaces, except those that exclude them. Absent: none. */
  readonly guardrails?: DefaultGuardrails;
}

/** Slugs or ids of guardrails, in the order in which they act. Found as `documentKey.guardrail` of the workspace of a request. */
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
  /** The workspace's own wish: it may forbid what the organisation allows, and not the other way round. */
  readonly blockInlineConfig: boolean;
  /** False: no bodies in the log, whatever the organisation says. */
  readonly logBodies: boolean;
  /** True: requests that can't be recorded are refused, whatever the organisation says. Absent: as that says. */
  readonly strictAudit?: boolean;
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
    /** Id of the config of user keys that have none of their own; wins over `config`. */
    readonly userKeyConfig?: string | null;
    /** Next to those of the organisation. Absent: none. */
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
  /** US cents per token; null when the catalogue's price holds. */
  readonly price: { readonly input: number; readonly output: number } | null;
  /** The whole price of a custom model, as `libs/pricing` reads it; wins over `price`. Absent and null: there is none. */
  readonly pricingConfig?: Readonly<Record<string, unknown>> | null;
}

/** What one workspace may use of an integration, whichever of its providers it goes through. */
export interface IntegrationLimits {
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
}

/** A saved provider (`@slug`, or a virtual key's slug) of one workspace, joined with its integration. */
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
   * `credentialBinding(workspaceId, id)`. Null when the provider takes no credential.
   */
  readonly sealedCredential: string | null;
  /** Configurations that are no secret: `custom_host`, regions, resource names. `custom_headers` are sealed. */
  readonly configurations: Readonly<Record<string, unknown>>;
  readonly allowAllModels: boolean;
  readonly models: readonly ProviderModel[];
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
  /** Absent: none. */
  readonly integrationLimits?: IntegrationLimits;
  /** Factors on every price of the integration, `{ multiplier: { … } }`. Absent and null: none. */
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
  /** The config as saved, already validated by `libs/config-schema`. */
  readonly config: unknown;
}

/** A saved guardrail: of a workspace, or of an organisation, whose guardrails each of its workspaces finds as its own. */
export interface GuardrailDocument {
  readonly kind: 'guardrail';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly versionId: string;
  readonly name: string;
  readonly organisationId: string;
  /** Null for one of the whole organisation. */
  readonly workspaceId: string | null;
  readonly status: 'active' | 'archived';
  /** Those for tools of MCP servers judge no requests to models. */
  readonly target: 'llm' | 'mcp_tools';
  /** As saved and already validated by `libs/guardrails`, without the parameters that are secrets. */
  readonly checks: readonly SavedGuardrailCheck[];
  readonly actions: Readonly<Record<string, unknown>>;
  /** `seal()` of `GuardrailSecretContent` as JSON, bound to `guardrailBinding(organisationId, id)`; null where no check has any. */
  readonly sealedSecrets: string | null;
}

export interface SavedGuardrailCheck {
  readonly id: string;
  readonly name?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly is_enabled?: boolean;
  readonly timeout?: number;
}

/** Parameters that are secrets, by the position of their check. */
export type GuardrailSecrets = Readonly<Record<number, Readonly<Record<string, unknown>>>>;

/** What `GuardrailDocument.sealedSecrets` holds. */
export interface GuardrailSecretContent {
  readonly parameters: GuardrailSecrets;
  /** Of secrets that parameters refer to, by `<id>#<key>` of the reference; null: not open to the workspace. */
  readonly locations: Readonly<Record<string, SecretLocation | null>>;
}

/**
 * A prompt or a partial, and which of its versions is meant by what. It is addressed by its organisation, since workspaces share
 * prompts: a reader must check `workspaceId` and `sharedWith`.
 */
export interface PromptDocument {
  readonly kind: 'prompt';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly type: 'prompt' | 'partial';
  readonly organisationId: string;
  /** The workspace that owns it. */
  readonly workspaceId: string;
  /** Further workspaces that may use it, by their ids. */
  readonly sharedWith: 'organisation' | readonly string[];
  /** Ids of versions, by number from 1 on. */
  readonly versions: readonly string[];
  readonly publishedVersionId: string;
  /** Id of a version, by the label's name. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Never changes. Reached through a `PromptDocument` alone, which says who may. */
export interface PromptVersionDocument {
  readonly kind: 'prompt_version';
  readonly version: string;
  readonly id: string;
  readonly promptId: string;
  readonly organisationId: string;
  /** 1 is the first. */
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
  /** A list of the one value, which may be a text; null: none. */
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
  | PromptVersionDocument;

/**
 * `api_key:<hash>`, `ended_api_key:<hash>`, `organisation:<id>`, `workspace:<id>`, `provider:<workspace id>:<slug>`, `config:<workspace id>:<slug or id>`,
 * `guardrail:<workspace id>:<slug or id>`, `prompt:<organisation id>:<slug or id>`, `prompt_version:<organisation id>:<id>`.
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
} as const;

/** What a provider's credential is sealed to. */
export const credentialBinding = (workspaceId: string, providerId: string): string =>
  `provider:${workspaceId}:${providerId}`;

/** What a guardrail's secrets are sealed to. */
export const guardrailBinding = (organisationId: string, guardrailId: string): string =>
  `guardrail:${organisationId}:${guardrailId}`;
