import { readStored, writeStored } from '../ui/stored';
import type { Need } from './needs';

/** Maximum number of read alerts stored for all workspaces; the oldest are dropped. */
const READ_MAX = 500;
const storeOf = (user: string): string => `needs-read:${user}`;

/**
 * Key of an alert within its workspace. An alert that gets worse, such as a budget that is now
 * exhausted, has another key.
 */
export function keyOfNeed(need: Need): string {
  switch (need.kind) {
    case 'failing':
      return `failing ${need.provider}`;
    case 'budget':
      return `budget ${need.budget.id} ${need.budget.limit.status === 'exhausted' ? 'exhausted' : 'ends'}`;
    case 'gateway':
      return `gateway ${need.gateway.id}`;
    case 'expiring':
    case 'rotating':
      return `${need.kind} ${need.keys.map(({ id }) => id).join(' ')}`;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Alerts that a user has read in this browser, as `<workspace id> <key>`. */
export function readNeeds(user: string): ReadonlySet<string> {
  const stored = readStored(storeOf(user));
  return new Set(Array.isArray(stored) ? stored.filter(isText) : []);
}

export const inWorkspaceOf = (workspace: string, need: Need): string => `${workspace} ${keyOfNeed(need)}`;

/**
 * Stores that a user has read the alerts of a workspace. Deletes the ones that are over, so that an
 * alert that returns is new. Returns all read alerts.
 */
export function markRead(user: string, workspace: string, needs: readonly Need[]): ReadonlySet<string> {
  const others = [...readNeeds(user)].filter((key) => !key.startsWith(`${workspace} `));
  const own = needs.map((need) => inWorkspaceOf(workspace, need));
  const read = [...others, ...own].slice(-READ_MAX);
  writeStored(storeOf(user), read);
  return new Set(read);
}

/** Deletes the read alerts of a workspace that are over. Returns the remaining read alerts. */
export function forgetOver(user: string, workspace: string, needs: readonly Need[]): ReadonlySet<string> {
  const before = readNeeds(user);
  const still = needs.filter((need) => before.has(inWorkspaceOf(workspace, need)));
  const kept = [...before].filter((key) => key.startsWith(`${workspace} `)).length;
  return kept === still.length ? before : markRead(user, workspace, still);
}
