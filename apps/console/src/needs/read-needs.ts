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

function store(user: string, keys: readonly string[]): ReadonlySet<string> {
  const read = keys.slice(-READ_MAX);
  writeStored(storeOf(user), read);
  return new Set(read);
}

/** Stores that a user has read alerts of a workspace. Returns all read alerts. */
export function markRead(user: string, workspace: string, needs: readonly Need[]): ReadonlySet<string> {
  const own = needs.map((need) => inWorkspaceOf(workspace, need));
  return store(user, [...[...readNeeds(user)].filter((key) => !own.includes(key)), ...own]);
}

/**
 * Deletes the read alerts of a workspace that are over, so that an alert that returns is new.
 * `needs` are all alerts of the workspace. Returns the remaining read alerts.
 */
export function forgetOver(user: string, workspace: string, needs: readonly Need[]): ReadonlySet<string> {
  const before = readNeeds(user);
  const still = new Set(needs.map((need) => inWorkspaceOf(workspace, need)));
  const kept = [...before].filter((key) => !key.startsWith(`${workspace} `) || still.has(key));
  return kept.length === before.size ? before : store(user, kept);
}
