import { DAY_MS, randomHex, type Keyring } from '@gw/kernel';
import { capabilitiesOfBits, capabilityBits, type ClientCapabilities } from '../http/client-capabilities';
import { LEGACY_REVISIONS, MCP_LIMITS, type LegacyRevision } from '../protocol';
import { openToken, sealToken } from './sealed-token';

/**
 * Contents of a session id. They are stored only in the id, so that sessions survive restarts of
 * all processes.
 */
export interface SessionFacts {
  readonly revision: LegacyRevision;
  readonly capabilities: ClientCapabilities;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Id of the session in stores; 32 hex digits. */
  readonly nonce: string;
}

/** Owner of a session id. Another principal or server cannot open it. */
export interface SessionOwner {
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** Id of the server or toolset; the workspace for the aggregate endpoint. */
  readonly serverId: string;
}

const PREFIX = 'gws1.';
export const SESSION_LIFETIME_MS = 30 * DAY_MS;

const binding = ({ principal, serverId }: SessionOwner): string => `mcp/session/${serverId}/${principal}`;

/**
 * Creates the id of a new session: visible ASCII, at most 512 characters. `lifetimeMs` is 30 days
 * by default.
 */
export function newSessionId(
  ring: Keyring,
  owner: SessionOwner,
  facts: Pick<SessionFacts, 'revision' | 'capabilities'>,
  { now, lifetimeMs = SESSION_LIFETIME_MS }: { readonly now: number; readonly lifetimeMs?: number },
): string {
  const { revision, capabilities } = facts;
  const index = LEGACY_REVISIONS.indexOf(revision);
  const payload = [index, capabilityBits(capabilities), now, now + lifetimeMs, randomHex(32)];
  return sealToken(ring, PREFIX, payload, binding(owner));
}

/**
 * Opens a session id. Returns null for an id of another principal or server, for an expired,
 * modified or invented one, and for one sealed with a removed key.
 */
export function openSessionId(
  ring: Keyring,
  owner: SessionOwner,
  id: string,
  now: number,
): SessionFacts | null {
  const options = { prefix: PREFIX, boundTo: binding(owner), lengthMax: MCP_LIMITS.sessionIdMax };
  const payload = openToken(ring, id, options) as [number, number, number, number, string] | null;
  if (payload === null) return null;
  const [index, bits, createdAt, expiresAt, nonce] = payload;
  const revision = LEGACY_REVISIONS[index];
  if (revision === undefined || now >= expiresAt) return null;
  return { revision, capabilities: capabilitiesOfBits(bits), createdAt, expiresAt, nonce };
}
