/** The opening or closing of a circuit breaker on one of the gateways. */
export interface BreakerChange {
  /** Workspace, endpoint and rules of the breaker. At most 512 characters; contains no secret. */
  readonly key: string;
  /**
   * Milliseconds for which the breaker stays open from now on; 0: it is closed. Relative, because
   * clocks differ.
   */
  readonly openForMs: number;
}

/**
 * Shares the state of circuit breakers between gateways. A lost change only means that each gateway
 * detects the failures itself.
 */
export interface BreakerStore {
  /**
   * Publishes a change without waiting. Never throws. An opening that cannot be sent is retried as
   * long as the breaker is open.
   */
  publish(change: BreakerChange): void;
  /**
   * Calls the listener for every breaker that is currently open, and for every later change,
   * including its own. Returns a function that unsubscribes.
   */
  subscribe(listener: (change: BreakerChange) => void): () => void;
}
