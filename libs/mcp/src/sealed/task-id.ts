import type { Keyring } from '@gw/kernel';
import { openToken, sealToken } from './sealed-token';

/** Where a task is. */
export interface TaskPlace {
  /** Id of the server that carries the task out. */
  readonly serverId: string;
  /** The id that the server gave it. */
  readonly task: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** `nonce` of the session that made the task; null in the modern era. */
  readonly session: string | null;
  /** The client has no sessions and its server has them, so that the forms of tasks differ. */
  readonly isBridged: boolean;
}

const PREFIX = 'gwt1.';
/** A server's id of a task may have so many UTF-16 units, and the id that clients get so many. */
export const TASK_ID_MAX = 512;
const SEALED_MAX = 4_096;

const binding = (principal: string): string => `mcp/task/${principal}`;

/** Makes the id that a client gets for its task. Only the caller that made the task can use it. */
export const sealTaskId = (
  ring: Keyring,
  principal: string,
  { serverId, task, tool, session, isBridged }: TaskPlace,
): string => sealToken(ring, PREFIX, [serverId, task, tool, session, isBridged], binding(principal));

/**
 * Opens the id of a task. Null, for all of these alike: another caller's, changed, and not ours.
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
