/** A session, and whose it is. */
export interface SessionName {
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** `nonce` of the session. */
  readonly session: string;
}

/** Stored settings of a session. */
export interface StoredSession {
  /** Its client ended it. */
  readonly isEnded: boolean;
  /** Level of `logging/setLevel`; null: the client set none. */
  readonly logLevel: string | null;
  /** URIs of resources. */
  readonly subscriptions: readonly string[];
  /** Digest of the lists that the client was last notified of; null: none. */
  readonly seenLists: string | null;
}

export const EMPTY_SESSION: StoredSession = {
  ...{ isEnded: false, logLevel: null, seenLists: null },
  subscriptions: [],
};

/** Session settings shared by all gateways. They may be lost; clients set them again when they reconnect. */
export interface SessionStore {
  /** Rejects while the store cannot be reached, as all methods do. */
  load(name: SessionName): Promise<StoredSession>;
  setLogLevel(name: SessionName, level: string): Promise<void>;
  /** False when the session has as many subscriptions as it may. */
  subscribe(name: SessionName, uri: string): Promise<boolean>;
  unsubscribe(name: SessionName, uri: string): Promise<void>;
  setSeenLists(name: SessionName, digest: string): Promise<void>;
  /** Marks a session as ended until it would have expired, a time in milliseconds since 1970. */
  end(name: SessionName, untilMs: number): Promise<void>;
}

/** Sessions of one caller that are kept; those that were unused for longest make room. */
export const SESSIONS_OF_CALLER_MAX = 1_000;
/** Characters of all values of a session, sealed where they are. */
export const SESSION_CHARACTERS_MAX = 65_536;
/** A session has at most so many subscriptions. */
export const SUBSCRIPTIONS_MAX = 100;
