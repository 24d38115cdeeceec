/** A poll of a task, as another gateway continues it. */
export interface StoredPoll {
  /** Id of the registration. */
  readonly id: string;
  readonly agentId: string;
  readonly taskId: string;
  /** When the task is polled no longer, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Digest of what clients were notified of; null: of nothing yet. */
  readonly seen: string | null;
}

/** Decides which gateway polls a task. The methods throw `unavailable` when the store is. */
export interface PollLeases {
  /** Whether other gateways may have polls to take. */
  readonly isShared: boolean;
  /**
   * Takes or keeps the poll for this gateway, and stores it. False: another gateway has it. Must be called again before the
   * lease ends.
   */
  hold(poll: StoredPoll): Promise<boolean>;
  /** Forgets a poll of this gateway. */
  end(id: string): Promise<void>;
  /** Takes polls whose gateway has not kept them, at most `max`. */
  take(max: number): Promise<readonly StoredPoll[]>;
}

/** The leases of a gateway without Redis: no other one continues its polls. */
export const LOCAL_POLL_LEASES: PollLeases = {
  isShared: false,
  hold: () => Promise.resolve(true),
  end: () => Promise.resolve(),
  take: () => Promise.resolve([]),
};
