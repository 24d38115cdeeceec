import { Shares } from '@gw/kernel';

/** Maximum number of calls in flight of one caller at one server. */
export const OF_CALLER_MAX = 50;
/**
 * Maximum number of calls in flight of this process. Workspaces share them, so that none can take
 * them all.
 */
const OF_PROCESS_MAX = 2_000;

/** Identifies the caller and the server of a call, and their workspace. */
export interface CallPlace {
  /** Identifies the caller and the server. */
  readonly key: string;
  readonly workspaceId: string;
  readonly organisationId: string;
}

/** Limits the calls of MCP servers or agents in flight. There is no queue. */
export class CallPlaces {
  private readonly ofCaller = new Map<string, number>();
  private readonly shares = new Shares(OF_PROCESS_MAX);

  /**
   * Takes a place. Returns the function that frees it, which must be called once; null when no
   * place is free.
   */
  take({ key, workspaceId, organisationId }: CallPlace): (() => void) | null {
    const held = this.ofCaller.get(key) ?? 0;
    const share = this.shares.of(workspaceId, organisationId);
    if (held >= OF_CALLER_MAX || !share.take(1)) return null;
    this.ofCaller.set(key, held + 1);
    return () => {
      share.give(1);
      const left = (this.ofCaller.get(key) ?? 1) - 1;
      if (left === 0) this.ofCaller.delete(key);
      else this.ofCaller.set(key, left);
    };
  }
}
