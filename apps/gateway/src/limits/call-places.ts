import { Shares } from '@gw/kernel';

/** Maximum number of calls in flight of one caller at one server. */
const OF_CALLER_MAX = 50;
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

/** A taken place, or the limit because of which none is free. */
export type TakenPlace =
  | {
      readonly kind: 'taken';
      /** Frees the place; must be called once. */
      readonly release: () => void;
    }
  | ({ readonly kind: 'none' } & PlaceLimit);

/** The limit that a caller or a workspace has reached. */
export interface PlaceLimit {
  readonly of: 'caller' | 'workspace';
  /**
   * Number of calls that may be in flight. That of a workspace is its share of this process now,
   * which depends on the calls of other workspaces.
   */
  readonly most: number;
}

/** Returns the message for a workspace whose share of this process holds no further call. */
export const workspaceFull = (most: number, calls: string): string =>
  `The workspace has ${String(most)} ${calls} in flight, as many as its share of this gateway allows now; retry later.`;

/** Limits the calls of MCP servers or agents in flight. There is no queue. */
export class CallPlaces {
  private readonly ofCaller = new Map<string, number>();
  private readonly shares = new Shares(OF_PROCESS_MAX);

  take({ key, workspaceId, organisationId }: CallPlace): TakenPlace {
    const held = this.ofCaller.get(key) ?? 0;
    const share = this.shares.of(workspaceId, organisationId);
    if (held >= OF_CALLER_MAX) return { kind: 'none', of: 'caller', most: OF_CALLER_MAX };
    if (!share.take(1)) return { kind: 'none', of: 'workspace', most: share.held };
    this.ofCaller.set(key, held + 1);
    return {
      kind: 'taken',
      release: () => {
        share.give(1);
        const left = (this.ofCaller.get(key) ?? 1) - 1;
        if (left === 0) this.ofCaller.delete(key);
        else this.ofCaller.set(key, left);
      },
    };
  }
}
