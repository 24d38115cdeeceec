import { readStored, writeStored } from '../ui/stored';
import type { Need } from './needs';

/** At most so many are remembered, over all workspaces; the oldest give way. */
const READ_MAX = 500;
const storeOf = (user: string): string => `needs-read:${user}`;

/** Tells needs of one workspace apart. One that gets worse, such as a budget that is used up now, is another one. */
export function keyOfNeed(need: Need): string {
  switch (need.kind) {
    case 'failing':
      return `failing ${need.provider}`;
    case 'budget':
      return `budget ${need.budget.id} ${need.budget.limit.status === 'exhausted' ? 'exhausted' : 'ends'}`;
    case 'gateway':
      return `gateway ${need.gateway.id}`;
    case 'expiring':
      return `expiring ${need.keys.map(({ id }) => id).join(' ')}`;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Needs that a user has read in this browser, as `workspace id, need`. */
export function readNeeds(user: string): ReadonlySet<string> {
  const stored = readStored(storeOf(user));
  return new Set(Array.isArray(stored) ? stored.filter(isText) : []);
}

export const inWorkspaceOf = (workspace: string, need: Need): string => `${workspace} ${keyOfNeed(need)}`;

/**
 * Remembers that a user has read needs of a workspace. Forgets those of it that are over, so that one that comes back is new. Returns
 * all that are read.
 */
export function markRead(user: string, workspace: string, needs: readonly Need[]): ReadonlySet<string> {
  const others = [...readNeeds(user)].filter((key) => !key.startsWith(`${workspace} `));
  const own = needs.map((need) => inWorkspaceOf(workspace, need));
  const read = [...others, ...own].slice(-READ_MAX);
  writeStored(storeOf(user), read);
  return new Set(read);
}

/** Forgets what was read of a workspace and is over. Returns what is still read. */
export function forgetOver(user: string, workspace: string, needs: readonly Need[]): ReadonlySet<string> {
  const before = readNeeds(user);
  const still = needs.filter((need) => before.has(inWorkspaceOf(workspace, need)));
  const kept = [...before].filter((key) => key.startsWith(`${workspace} `)).length;
  return kept === still.length ? before : markRead(user, workspace, still);
}
