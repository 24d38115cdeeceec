/** Value of the condition `mcp_annotation`. */
export type ToolAnnotation = 'read_only' | 'destructive';

/**
 * Values of a request that conditions and groups of policies use. Null or absent: the request has
 * no such value.
 */
export interface PolicySubject {
  /** API key id; null for a caller without one. */
  readonly apiKey: string | null;
  /** User of the key or token. */
  readonly userId?: string | null;
  /** Client of OAuth that the user signed in with. */
  readonly clientId?: string | null;
  readonly workspaceId: string;
  readonly organisationId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Conditions use the slug, groups use the id. */
  readonly virtualKey?: { readonly slug: string; readonly id: string } | null;
  /** Provider id, such as `openai`. */
  readonly provider?: string | null;
  readonly config?: { readonly slug: string; readonly id: string } | null;
  readonly prompt?: { readonly slug: string; readonly id: string } | null;
  /** The model name in the request. */
  readonly model?: string | null;
  /**
   * Slug of the saved provider, or the provider's id: the part before the model in
   * `@provider/model`.
   */
  readonly modelProvider?: string | null;
  /** For a passthrough request, includes the type of the route with the same path. */
  readonly endpointTypes?: readonly string[];
  readonly mcpServer?: string | null;
  readonly mcpTool?: string | null;
  /** Effects that the approved definition of the tool declares. */
  readonly mcpAnnotations?: readonly ToolAnnotation[];
  /** Slug of the agent. */
  readonly agent?: string | null;
  /** Id of the skill that a message names. */
  readonly agentSkill?: string | null;
  /**
   * Name under which a toolset shows the tool. A condition's `value` matches it as well; `excludes`
   * and groups use `mcpTool` alone, so that an alias cannot bypass a policy.
   */
  readonly mcpShownTool?: string | null;
}

/** Reads the value of a key; null when the subject has none. */
type Reader = (subject: PolicySubject) => string | null;

const SHARED: Readonly<Record<string, Reader>> = {
  api_key: ({ apiKey }) => apiKey,
  user_id: ({ userId }) => userId ?? null,
  client_id: ({ clientId }) => clientId ?? null,
  workspace_id: ({ workspaceId }) => workspaceId,
  organisation_id: ({ organisationId }) => organisationId,
  provider: ({ provider }) => provider ?? null,
  mcp_server: ({ mcpServer }) => mcpServer ?? null,
  mcp_tool: ({ mcpTool }) => mcpTool ?? null,
  agent: ({ agent }) => agent ?? null,
  agent_skill: ({ agentSkill }) => (agentSkill === '' ? null : (agentSkill ?? null)),
};

const IN_CONDITIONS: Readonly<Record<string, Reader>> = {
  ...SHARED,
  virtual_key: ({ virtualKey }) => virtualKey?.slug ?? null,
  config: ({ config }) => config?.slug ?? null,
  prompt: ({ prompt }) => prompt?.slug ?? null,
  model: ({ model, modelProvider }) => (model && modelProvider ? `@${modelProvider}/${model}` : null),
};

const IN_GROUPS: Readonly<Record<string, Reader>> = {
  ...SHARED,
  virtual_key: ({ virtualKey }) => virtualKey?.id ?? null,
  config: ({ config }) => config?.id ?? null,
  prompt: ({ prompt }) => prompt?.id ?? null,
  model: ({ model, modelProvider }) => (model && modelProvider ? `${modelProvider}.${model}` : null),
};

/** Beginning of keys that name metadata. */
export const METADATA = 'metadata.';

/**
 * Returns the reader of a key. An unknown key matches nothing; such a policy is refused when it is
 * saved.
 */
function readerOf(readers: Readonly<Record<string, Reader>>, key: string): Reader {
  if (!key.startsWith(METADATA))
    return (Object.hasOwn(readers, key) ? readers[key] : undefined) ?? (() => null);
  const name = key.slice(METADATA.length);
  return ({ metadata }) => (Object.hasOwn(metadata, name) ? (metadata[name] ?? null) : null);
}

/** Returns the values that a subject has for a condition's key. */
export function presentReader(key: string): (subject: PolicySubject) => readonly string[] {
  if (key === 'endpoint_type') return ({ endpointTypes }) => endpointTypes ?? [];
  if (key === 'mcp_annotation') return ({ mcpAnnotations }) => mcpAnnotations ?? [];
  const read = readerOf(IN_CONDITIONS, key);
  return (subject) => {
    const value = read(subject);
    return value === null ? [] : [value];
  };
}

/** Returns the reader of a key of `group_by`. */
export const groupReader = (key: string): Reader => readerOf(IN_GROUPS, key);
