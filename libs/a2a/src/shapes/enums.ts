import { ShapeFault } from './members';

/** States of a task in 0.3 and 1.0. */
const STATES = [
  ['unknown', 'TASK_STATE_UNSPECIFIED'],
  ['submitted', 'TASK_STATE_SUBMITTED'],
  ['working', 'TASK_STATE_WORKING'],
  ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
  ['completed', 'TASK_STATE_COMPLETED'],
  ['canceled', 'TASK_STATE_CANCELED'],
  ['failed', 'TASK_STATE_FAILED'],
  ['rejected', 'TASK_STATE_REJECTED'],
  ['auth-required', 'TASK_STATE_AUTH_REQUIRED'],
] as const;

/** A state of a task as 1.0 writes it. */
export type TaskState = (typeof STATES)[number][1];

const ROLES = [
  ['user', 'ROLE_USER'],
  ['agent', 'ROLE_AGENT'],
] as const;

const STATES_TO_10: ReadonlyMap<unknown, TaskState> = new Map(STATES);
const STATES_TO_03: ReadonlyMap<unknown, string> = new Map(STATES.map(([old, now]) => [now, old]));
const ROLES_TO_10: ReadonlyMap<unknown, string> = new Map(ROLES);
const ROLES_TO_03: ReadonlyMap<unknown, string> = new Map(ROLES.map(([old, now]) => [now, old]));

const TERMINAL: ReadonlySet<unknown> = new Set<TaskState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_FAILED',
  'TASK_STATE_REJECTED',
]);
const INTERRUPTED: ReadonlySet<unknown> = new Set<TaskState>([
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
]);

/** Returns the value as a state of 1.0; null for another value. */
export const knownState = (value: unknown): TaskState | null =>
  STATES.find(([, now]) => now === value)?.[1] ?? null;

/** Returns whether a task in this state of 1.0 has ended. */
export const isTerminal = (state: unknown): boolean => TERMINAL.has(state);

/**
 * Returns whether a stream of 0.3 ends with this state of 1.0: the task has ended, or it waits for
 * its client.
 */
export const endsStream = (state: unknown): boolean => TERMINAL.has(state) || INTERRUPTED.has(state);

/** Returns a state of 0.3 as 1.0 writes it. A state that 0.3 does not have becomes unspecified. */
export const stateTo10 = (state: unknown): TaskState => STATES_TO_10.get(state) ?? 'TASK_STATE_UNSPECIFIED';

/** Returns a state of 1.0 as 0.3 writes it. A state that 1.0 does not have becomes `unknown`. */
export const stateTo03 = (state: unknown): string => STATES_TO_03.get(state) ?? 'unknown';

/** Returns a role of 0.3 as 1.0 writes it. Throws `ShapeFault`. */
export const roleTo10 = (role: unknown, path = 'role'): string => roleIn(ROLES_TO_10, role, path);

/** Returns a role of 1.0 as 0.3 writes it. Throws `ShapeFault`. */
export const roleTo03 = (role: unknown, path = 'role'): string => roleIn(ROLES_TO_03, role, path);

function roleIn(roles: ReadonlyMap<unknown, string>, role: unknown, path: string): string {
  const found = roles.get(role);
  if (found === undefined) throw new ShapeFault(path, `must be ${[...roles.keys()].join(' or ')}`);
  return found;
}
