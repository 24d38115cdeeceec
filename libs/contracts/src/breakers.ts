/** A circuit breaker that opened or closed on one of the gateways. */
export interface BreakerChange {
  /** Workspace, endpoint and rules of the breaker. At most 512 characters; holds no secret. */
  readonly key: string;
  /** Milliseconds for which it stays open from now on, so that clocks need not agree; 0: it is closed. */
  readonly openForMs: number;
}

/** How gateways tell each other of open breakers. What is lost is found out again by each gateway for itself. */
export interface BreakerStore {
  /** Returns at once and never throws. An opening that could not be sent is sent as soon as possible, if it still holds then. */
  publish(change: BreakerChange): void;
  /**
   * Tells of every breaker that is open at the time, and of every change from then on, own ones included. Returns a function that
   * ends it.
   */
  subscribe(listener: (change: BreakerChange) => void): () => void;
}
