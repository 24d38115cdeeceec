/** The stored facts of a poll, with which another gateway can continue it. */
export interface StoredPoll {
  /** Id of the registration. */
  readonly id: string;
  readonly agentId: string;
  readonly taskId: string;
  /** Unix milliseconds at which polling ends. */
  readonly endsAt: number;
  /**
   * Digest of the task that clients were last notified of; null when they were not notified yet.
   */
  readonly seen: string | null;
}

/**
 * Decides which gateway polls a task. The methods reject with `unavailable` while the store cannot
 * be reached.
 */
export interface PollLeases {
  /** Whether other gateways may have polls to take over. */
  readonly isShared: boolean;
  /**
   * Takes or renews the lease of a poll for this gateway, and stores the poll. Resolves to false
   * when another gateway holds the lease. Call it again before the lease expires.
   */
  hold(poll: StoredPoll): Promise<boolean>;
  /** Removes a poll of this gateway. */
  end(id: string): Promise<void>;
  /** Takes over at most `max` polls whose lease has expired. */
  take(max: number): Promise<readonly StoredPoll[]>;
}

/** The leases of a gateway without Redis: no other gateway continues its polls. */
export const LOCAL_POLL_LEASES: PollLeases = {
  isShared: false,
  hold: () => Promise.resolve(true),
  end: () => Promise.resolve(),
  take: () => Promise.resolve([]),
};
