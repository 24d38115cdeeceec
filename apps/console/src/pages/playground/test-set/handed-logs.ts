/** Logs of one test set at most. */
export const LOGS_MAX = 100;

interface HandedLogs {
  readonly workspaceId: string;
  readonly ids: readonly string[];
}

let pending: HandedLogs | null = null;

/** Gives logs to the test set of the playground, which opens next. Their bodies are read there. In memory alone. */
export function handLogs(workspaceId: string, ids: readonly string[]): void {
  pending = { workspaceId, ids: ids.slice(0, LOGS_MAX) };
}

/** Takes the logs that were handed over for this workspace, once. */
export function takeHandedLogs(workspaceId: string): readonly string[] {
  const taken = pending?.workspaceId === workspaceId ? pending.ids : [];
  pending = null;
  return taken;
}
