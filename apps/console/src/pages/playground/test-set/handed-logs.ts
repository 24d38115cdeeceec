/** Maximum number of logs that become a test set. */
export const LOGS_MAX = 100;

interface HandedLogs {
  readonly workspaceId: string;
  readonly ids: readonly string[];
}

let pending: HandedLogs | null = null;

/**
 * Passes logs in memory to the test set of the playground, which opens next and reads their bodies.
 */
export function handLogs(workspaceId: string, ids: readonly string[]): void {
  pending = { workspaceId, ids: ids.slice(0, LOGS_MAX) };
}

/** Returns the logs that were passed for this workspace, once; drops those of another workspace. */
export function takeHandedLogs(workspaceId: string): readonly string[] {
  const taken = pending?.workspaceId === workspaceId ? pending.ids : [];
  pending = null;
  return taken;
}
