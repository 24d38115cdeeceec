/** Name of a session, with its caller. */
export interface SessionName {
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** `nonce` of the session. */
  readonly session: string;
}

/** Stored settings of a session. */
export interface StoredSession {
  /** Whether the client ended the session. */
  readonly isEnded: boolean;
  /** Level of `logging/setLevel`; null when the client set none. */
  readonly logLevel: string | null;
  /** URIs of the resources that the client subscribed to. */
  readonly subscriptions: readonly string[];
  /** Digest of the lists that the client was last notified of; null when it was not notified. */
  readonly seenLists: string | null;
}

export const EMPTY_SESSION: StoredSession = {
  ...{ isEnded: false, logLevel: null, seenLists: null },
  subscriptions: [],
};

/**
 * Session settings shared by all gateways. They may be lost; clients set them again when they
 * reconnect.
 */
export interface SessionStore {
  /**
   * Returns a session; empty for an unknown one. Rejects while the store cannot be reached, as all
   * methods do.
   */
  load(name: SessionName): Promise<StoredSession>;
  setLogLevel(name: SessionName, level: string): Promise<void>;
  /**
   * Adds a subscription. Resolves to false when the session has its maximum of subscriptions or
   * characters.
   */
  subscribe(name: SessionName, uri: string): Promise<boolean>;
  unsubscribe(name: SessionName, uri: string): Promise<void>;
  setSeenLists(name: SessionName, digest: string): Promise<void>;
  /**
   * Marks a session as ended until `untilMs`, the Unix milliseconds at which it would have expired.
   */
  end(name: SessionName, untilMs: number): Promise<void>;
}

/**
 * Maximum number of stored sessions of one caller; beyond it, the least recently used ones are
 * removed.
 */
export const SESSIONS_OF_CALLER_MAX = 1_000;
/** Maximum characters of all values of a session; in Redis, of the sealed values. */
export const SESSION_CHARACTERS_MAX = 65_536;
/** Maximum number of subscriptions of a session. */
export const SUBSCRIPTIONS_MAX = 100;
