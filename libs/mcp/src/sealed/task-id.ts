import type { Keyring } from '@gw/kernel';
import { openToken, sealToken } from './sealed-token';

/** Server and upstream id of a task. */
export interface TaskPlace {
  /** Id of the server that executes the task. */
  readonly serverId: string;
  /** Id that the server gave the task. */
  readonly task: string;
  /** Name that the server gives the tool. */
  readonly tool: string;
  /** `nonce` of the session that created the task; null in the modern era. */
  readonly session: string | null;
  /**
   * Whether a client without sessions uses a server with sessions, so that tasks must be converted.
   */
  readonly isBridged: boolean;
}

const PREFIX = 'gwt1.';
/** Maximum number of UTF-16 units of a server's task id, and of the id that clients get. */
export const TASK_ID_MAX = 512;
const SEALED_MAX = 4_096;

const binding = (principal: string): string => `mcp/task/${principal}`;

/**
 * Creates the id that a client gets for its task. Only the caller that created the task can use it.
 */
export const sealTaskId = (
  ring: Keyring,
  principal: string,
  { serverId, task, tool, session, isBridged }: TaskPlace,
): string => sealToken(ring, PREFIX, [serverId, task, tool, session, isBridged], binding(principal));

/**
 * Opens the id of a task. Returns null for an id of another caller, and for a modified or foreign
 * one.
 */
export function openTaskId(ring: Keyring, principal: string, id: unknown): TaskPlace | null {
  if (typeof id !== 'string') return null;
  const options = { prefix: PREFIX, boundTo: binding(principal), lengthMax: SEALED_MAX };
  const opened = openToken(ring, id, options) as
    readonly [string, string, string, string | null, boolean?] | null;
  if (opened === null) return null;
  const [serverId, task, tool, session, isBridged = false] = opened;
  return { serverId, task, tool, session, isBridged };
}
