import { MINUTE_MS, type Keyring } from '@gw/kernel';
import { MCP_LIMITS } from '../protocol';
import { openToken, sealToken } from './sealed-token';

/** Where the gateway waits for a client's response. */
export interface RequestPlace {
  /** Id of the gateway process that sent the request to the client. */
  readonly replica: string;
  /** Id of the request in that process. */
  readonly request: string;
}

/** The only one that may respond to a request: the caller in the session that received it. */
export interface RequestOwner {
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** `nonce` of the session. */
  readonly session: string;
}

const PREFIX = 'gwr1.';
/** Lifetime of a request id; longer than a call waits for input. */
export const REQUEST_LIFETIME_MS = 15 * MINUTE_MS;

const binding = ({ principal, session }: RequestOwner): string => `mcp/request/${session}/${principal}`;

/**
 * Creates the id of a request to a client, such as an elicitation. Any gateway that receives the
 * response can read from it where the request waits. Valid for 15 minutes.
 */
export const sealRequestId = (
  ring: Keyring,
  owner: RequestOwner,
  { replica, request }: RequestPlace,
  now: number,
): string => sealToken(ring, PREFIX, [replica, request, now + REQUEST_LIFETIME_MS], binding(owner));

/**
 * Opens the id of a response. Returns null for an id of another session or principal, and for an
 * expired, modified or foreign one.
 */
export function openRequestId(
  ring: Keyring,
  owner: RequestOwner,
  id: unknown,
  now: number,
): RequestPlace | null {
  if (typeof id !== 'string') return null;
  const options = { prefix: PREFIX, boundTo: binding(owner), lengthMax: MCP_LIMITS.idLengthMax };
  const payload = openToken(ring, id, options) as [string, string, number] | null;
  if (payload === null) return null;
  const [replica, request, expiresAt] = payload;
  return now < expiresAt ? { replica, request } : null;
}
