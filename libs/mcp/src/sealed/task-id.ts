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
  { serverId, task, tool, session }: TaskPlace,
): string => sealToken(ring, PREFIX, [serverId, task, tool, session], binding(principal));

/** Opens the id of a task. Null, for all of these alike: another caller's, changed, and not ours. */
export function openTaskId(ring: Keyring, principal: string, id: unknown): TaskPlace | null {
  if (typeof id !== 'string') return null;
  const options = { prefix: PREFIX, boundTo: binding(principal), lengthMax: SEALED_MAX };
  const opened = openToken(ring, id, options) as [string, string, string, string | null] | null;
  if (opened === null) return null;
  const [serverId, task, tool, session] = opened;
  return { serverId, task, tool, session };
}
