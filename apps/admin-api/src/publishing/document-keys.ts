import { documentKey, type DocumentKey } from '@gw/contracts';

/** The row that a document key names. */
export type WantedRow =
  | { readonly kind: 'api_key'; readonly secretHash: string }
  | { readonly kind: 'ended_api_key'; readonly secretHash: string }
  | { readonly kind: 'access_token'; readonly secretHash: string }
  | { readonly kind: 'oauth_grant'; readonly id: string }
  | { readonly kind: 'organisation'; readonly id: string }
  | { readonly kind: 'workspace'; readonly id: string }
  | { readonly kind: 'provider'; readonly workspaceId: string; readonly name: string }
  | { readonly kind: 'config'; readonly workspaceId: string; readonly name: string }
  | { readonly kind: 'guardrail'; readonly workspaceId: string; readonly name: string }
  | { readonly kind: 'mcp_server'; readonly workspaceId: string; readonly name: string }
  | { readonly kind: 'agent_server'; readonly workspaceId: string; readonly name: string }
  | { readonly kind: 'agent_catalogue'; readonly id: string }
  | { readonly kind: 'card_key' }
  | { readonly kind: 'mcp_toolset'; readonly workspaceId: string; readonly name: string }
  | { readonly kind: 'mcp_catalogue'; readonly id: string }
  | { readonly kind: 'prompt'; readonly organisationId: string; readonly name: string }
  | { readonly kind: 'mcp_connection'; readonly serverId: string; readonly userId: string }
  | { readonly kind: 'signing_key' }
  | { readonly kind: 'user'; readonly organisationId: string; readonly userId: string }
  | { readonly kind: 'trusts'; readonly issuerDigest: string }
  | { readonly kind: 'workspace_slug'; readonly organisationId: string; readonly name: string }
  | { readonly kind: 'prompt_version'; readonly organisationId: string; readonly name: string };

/** Kinds of documents that an id identifies. */
type KindById = Extract<WantedRow, { readonly id: string }>['kind'];

/** Kinds of documents that a workspace and a slug or id identify. */
type NamedKind = Extract<WantedRow, { readonly workspaceId: string; readonly name: string }>['kind'];

// Only lower case, so that a document has exactly one key, which change events also use.
const BY_HASH = /^(api_key|ended_api_key|access_token):([0-9a-f]{64})$/;
const BY_ID =
  /^(organisation|workspace|mcp_catalogue|agent_catalogue|oauth_grant):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** A slug has at most 255 characters, and Postgres text cannot contain NUL. */
const BY_NAME =
  /^(provider|config|guardrail|mcp_server|mcp_toolset|agent_server):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([^\0]{1,255})$/;
const MCP_CONNECTION =
  /^mcp_connection:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const USER =
  /^user:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const TRUSTS = /^trusts:([0-9a-f]{64})$/;
const PROMPT = /^(prompt|prompt_version):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([\w-]{1,64})$/;
const WORKSPACE_SLUG = /^(workspace_slug):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([^\0]{1,255})$/;

/** Returns null for text that is not a valid document key. */
export const parseDocumentKey = (key: DocumentKey): WantedRow | null =>
  (key === documentKey.signingKey() ? { kind: 'signing_key' } : null) ??
  (key === documentKey.cardKey() ? { kind: 'card_key' } : null) ??
  hashedRow(key) ??
  rowById(key) ??
  rowOfOrganisation(key) ??
  rowByName(key) ??
  rowOfUser(key);

function hashedRow(key: DocumentKey): WantedRow | null {
  const [, hashed, secretHash] = BY_HASH.exec(key) ?? [];
  if (secretHash !== undefined)
    return { kind: hashed as 'api_key' | 'ended_api_key' | 'access_token', secretHash };
  const [, issuerDigest] = TRUSTS.exec(key) ?? [];
  return issuerDigest === undefined ? null : { kind: 'trusts', issuerDigest };
}

function rowById(key: DocumentKey): WantedRow | null {
  const [, kind, id] = BY_ID.exec(key) ?? [];
  return id === undefined ? null : { kind: kind as KindById, id };
}

function rowOfOrganisation(key: DocumentKey): WantedRow | null {
  const [, kind, organisationId, name] = PROMPT.exec(key) ?? WORKSPACE_SLUG.exec(key) ?? [];
  if (organisationId === undefined || name === undefined) return null;
  return { kind: kind as 'prompt' | 'prompt_version' | 'workspace_slug', organisationId, name };
}

function rowByName(key: DocumentKey): WantedRow | null {
  const [, kind, workspaceId, name] = BY_NAME.exec(key) ?? [];
  if (workspaceId === undefined || name === undefined) return null;
  return { kind: kind as NamedKind, workspaceId, name };
}

function rowOfUser(key: DocumentKey): WantedRow | null {
  const [, organisationId, id] = USER.exec(key) ?? [];
  if (organisationId !== undefined && id !== undefined) return { kind: 'user', organisationId, userId: id };
  const [, serverId, userId] = MCP_CONNECTION.exec(key) ?? [];
  if (serverId === undefined || userId === undefined) return null;
  return { kind: 'mcp_connection', serverId, userId };
}
