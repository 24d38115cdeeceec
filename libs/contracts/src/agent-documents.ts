import type { McpAuthContent, McpAuthType } from './mcp-documents';

/** How the gateway signs in at an agent. */
export type AgentAuthType = McpAuthType;

/** The decrypted content of `AgentServerDocument.sealedAuth`. */
export type AgentAuthContent = McpAuthContent;

/** A skill that callers may see: approved, and enabled at the integration and at the server. */
export interface AgentSkillFacts {
  /** Id of the skill's row, which mappings of guardrails name. */
  readonly id: string;
  /** `id` of the skill in the card. */
  readonly skillId: string;
}

/**
 * An administrator's rule about skills. It has no effect on callers that its subject does not
 * match. A denial takes precedence over permissions.
 */
export interface AgentAccessRule {
  readonly subject: {
    readonly type: 'user' | 'group' | 'role' | 'key' | 'client' | 'trust';
    readonly id: string;
  };
  /** Ids of skills in the card, or beginnings of ids before a final `*`. */
  readonly skills: readonly string[];
  readonly effect: 'allow' | 'deny';
}

/** A guardrail that checks messages to an agent, the agent's responses, or both. */
export interface AgentGuardrailMapping {
  /** Find it with `documentKey.guardrail` and the workspace. */
  readonly guardrailId: string;
  readonly runOn: readonly ('beforeToolCall' | 'afterToolCall')[];
  /** `AgentSkillFacts.id`s; empty: the whole agent. */
  readonly skillIds: readonly string[];
}

/** The interface of an agent that the gateway calls; the agent's approved card lists it. */
export interface AgentInterfaceFacts {
  readonly url: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: '0.3' | '1.0';
  /** Tenant at the agent that requests must name; null for none. */
  readonly tenant: string | null;
}

/** Prices in integers of 1e-8 USD. */
export interface AgentPrices {
  /** Price of each message that the agent responds to. */
  readonly perMessage: number;
  /** Price of each task that the agent starts; charged once per task. */
  readonly perTask: number;
}

/** Bounds of calls to an agent. */
export interface AgentLimits {
  /** Milliseconds until a response without a stream must be complete; null: 120,000. */
  readonly timeoutMs: number | null;
  /** Messages of one context in an hour; null: no bound. */
  readonly messagesPerContextHour: number | null;
}

/**
 * An agent of a workspace, joined with its integration. The document exists only while the
 * workspace has access to the agent and after an administrator has approved a card of it.
 */
export interface AgentServerDocument {
  readonly kind: 'agent_server';
  readonly version: string;
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly integrationId: string;
  readonly integrationSlug: string;
  /** The interface that calls go to. */
  readonly endpoint: AgentInterfaceFacts;
  readonly authType: AgentAuthType;
  /**
   * Configurations that are not secret, such as `passthrough_headers`, `forward_headers`,
   * `user_identity_forwarding` and `oauth_client_credentials` without its secret.
   */
  readonly configurations: Readonly<Record<string, unknown>>;
  /**
   * `seal()` of `AgentAuthContent` as JSON, bound to `agentAuthBinding`. Null: nothing is secret.
   */
  readonly sealedAuth: string | null;
  /**
   * The approved card of the agent as stored: JSON text of at most 1 MiB. Callers get it as
   * `servedCard` changes it.
   */
  readonly card: string;
  /**
   * The extended card as JSON text, which callers get instead of `card`; null: the agent has none.
   */
  readonly extendedCard: string | null;
  /** Skills in the order of the card. The gateway hides and refuses all other skills. */
  readonly skills: readonly AgentSkillFacts[];
  readonly userAccess: {
    readonly isAllowed: boolean;
    /** Exceptions by user id. */
    readonly exceptions: Readonly<Record<string, boolean>>;
  };
  readonly rules: readonly AgentAccessRule[];
  readonly defaultEffect: 'allow' | 'deny';
  readonly guardrails: readonly AgentGuardrailMapping[];
  /** `emulate`: the gateway polls tasks of an agent that sends no notifications. */
  readonly push: 'relay' | 'emulate' | 'off';
  /** True: the gateway serves the card without a credential, at the URL with the workspace's id. */
  readonly isListed: boolean;
  /** Null: calls cost nothing. */
  readonly prices: AgentPrices | null;
  readonly limits: AgentLimits;
}

/**
 * The agents of a workspace, for its catalogue. A workspace without agents has no such document.
 */
export interface AgentCatalogueDocument {
  readonly kind: 'agent_catalogue';
  readonly version: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  /** Sorted slugs, at most 1,000. The agent's own document decides whether a caller may use it. */
  readonly slugs: readonly string[];
}

/** The key that signs the cards of agents, published with the keys of the OAuth server. */
export interface CardKeyDocument {
  readonly kind: 'card_key';
  readonly version: string;
  /** `kid` of the key. */
  readonly keyId: string;
  /** URL of the key set that contains the public key. */
  readonly keySetUrl: string;
  /** `seal()` of the private P-256 key (a JWK as JSON), bound to `cardKeyBinding`. */
  readonly sealedKey: string;
}
