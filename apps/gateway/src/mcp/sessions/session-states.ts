import { MINUTE_MS } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import {
  EMPTY_SESSION,
  SUBSCRIPTIONS_MAX,
  type SessionName,
  type SessionStore,
  type StoredSession,
} from './session-store';

/** Maximum number of states that are kept without an open stream. */
export const SESSION_STATES_MAX = 20_000;
/** Milliseconds after which a state is read again, which also renews its expiry in the store. */
const FRESH_MS = 10 * MINUTE_MS;
/** Milliseconds after which a state that could not be read is read again. */
const RETRY_MS = 5_000;
/** Maximum number of consecutive reads while the state changes. */
const READS_MAX = 5;

/** Receives the reports of a `SessionState`. */
interface SessionObserver {
  /** Called when the client has changed the state and the change is stored. */
  changed(): void;
  /** Called when `onChange` was set (true) or cleared (false). */
  watched(isWatched: boolean): void;
}

/** Settings of a client's session. They may be lost; clients set them again when they reconnect. */
export class SessionState {
  private stored: StoredSession = EMPTY_SESSION;
  private readonly uris = new Set<string>();
  private listener: (() => void) | null = null;
  /**
   * Time of `performance.now` until which the state need not be read again; 0: read it at the next
   * use.
   */
  private freshUntil = 0;
  /** Incremented by each change and each notice of one; a read that began before it is repeated. */
  private version = 0;
  /** Writes in flight. A read that ends meanwhile may lack them, so it is repeated. */
  private writes = 0;

  constructor(
    private readonly name: SessionName,
    private readonly store: SessionStore,
    private readonly observer: SessionObserver,
  ) {}

  /**
   * Called when the subscriptions change. One stream at a time sets it, because `StreamLeases`
   * admits one per session.
   */
  get onChange(): (() => void) | null {
    return this.listener;
  }

  set onChange(listener: (() => void) | null) {
    this.listener = listener;
    this.observer.watched(listener !== null);
  }

  /** Whether the state was read within `FRESH_MS` and no change was reported since. */
  get isFresh(): boolean {
    return performance.now() < this.freshUntil;
  }

  /** Whether the client ended the session. */
  get isEnded(): boolean {
    return this.stored.isEnded;
  }

  /** The log level of the session; null when the client set none. */
  get logLevel(): string | null {
    return this.stored.logLevel;
  }

  get subscriptions(): ReadonlySet<string> {
    return this.uris;
  }

  /** Digest of the lists that the client was last notified of; null when it was not notified. */
  get seenLists(): string | null {
    return this.stored.seenLists;
  }

  async setLogLevel(logLevel: string): Promise<void> {
    await this.change(() => this.store.setLogLevel(this.name, logLevel));
    this.stored = { ...this.stored, logLevel };
  }

  /**
   * Returns false when the session has its maximum number of subscriptions, or was ended meanwhile.
   */
  async subscribe(uri: string): Promise<boolean> {
    if (this.uris.has(uri)) return true;
    if (this.uris.size >= SUBSCRIPTIONS_MAX) return false;
    const isStored = await this.change(() => this.store.subscribe(this.name, uri));
    if (isStored === false || this.isEnded) return false;
    this.uris.add(uri);
    this.listener?.();
    return true;
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.uris.delete(uri)) return;
    this.listener?.();
    await this.change(() => this.store.unsubscribe(this.name, uri));
  }

  /**
   * Stores the digest of the lists that the client was notified of. It writes in the background and
   * does not announce the change, because only the next stream of the session reads it.
   */
  storeSeenLists(seenLists: string): void {
    if (this.stored.seenLists === seenLists || this.isEnded) return;
    this.stored = { ...this.stored, seenLists };
    void this.write(() => this.store.setSeenLists(this.name, seenLists));
  }

  /**
   * Ends the session, so that its id is no longer accepted. `untilMs`: Unix milliseconds at which
   * it would have expired.
   */
  async end(untilMs: number): Promise<void> {
    this.stored = { ...EMPTY_SESSION, isEnded: true };
    this.uris.clear();
    this.listener?.();
    await this.change(() => this.store.end(this.name, untilMs));
  }

  /** Makes the next use read the state again. */
  markStale(): void {
    this.freshUntil = 0;
    this.version += 1;
  }

  /**
   * Reads the state that other gateways have stored. Keeps the known state while the store cannot
   * be reached, and while changes of this gateway are being written; the next use then reads again.
   */
  async read(): Promise<void> {
    for (let left = READS_MAX; left > 0; left -= 1) {
      const { version } = this;
      const stored = await this.store.load(this.name).catch(() => null);
      if (stored === null) {
        // Requests within this time do not wait for a slow store again.
        this.freshUntil = performance.now() + RETRY_MS;
        return;
      }
      if (version !== this.version || this.writes > 0) continue;
      this.freshUntil = performance.now() + FRESH_MS;
      this.apply(stored);
      return;
    }
  }

  private apply(stored: StoredSession): void {
    const { subscriptions } = stored;
    const isSame =
      subscriptions.length === this.uris.size && subscriptions.every((uri) => this.uris.has(uri));
    this.stored = stored;
    if (isSame) return;
    this.uris.clear();
    for (const uri of subscriptions) this.uris.add(uri);
    this.listener?.();
  }

  /** Writes a change and announces it to the other gateways. Returns null when `write` does. */
  private async change<T>(work: () => Promise<T>): Promise<T | null> {
    const written = await this.write(work);
    if (written !== null) this.observer.changed();
    return written;
  }

  /**
   * Runs a write. Returns null when the store cannot be reached; the change then applies on this
   * gateway only, until the state is read again (after at most 10 minutes).
   */
  private async write<T>(work: () => Promise<T>): Promise<T | null> {
    this.writes += 1;
    try {
      return await work();
    } catch {
      return null;
    } finally {
      this.writes -= 1;
      this.version += 1;
    }
  }
}

/** A message to all gateways: a session has changed. */
interface SessionChange {
  readonly kind: 'session_changed';
  readonly session: string;
}

/** The link between gateways, as far as session states use it. */
export interface SessionLink {
  on(kind: 'session_changed', handle: (change: SessionChange) => void): void;
  whenLost(callback: () => void): void;
  broadcast(change: SessionChange): boolean;
}

/**
 * States of sessions. All users of a session on this gateway share one object while a stream of it
 * is open. Beyond 20,000 other states, the least recently used one is dropped and read again at its
 * next use.
 */
export class SessionStates {
  private readonly states = new LRUCache<string, SessionState>({ max: SESSION_STATES_MAX });
  /** States with an open stream, so as many as `ClientStreams` admits. */
  private readonly watched = new Map<string, SessionState>();
  private readonly reading = new Map<string, Promise<SessionState>>();

  constructor(
    private readonly store: SessionStore,
    private readonly link: SessionLink,
  ) {
    link.on('session_changed', ({ session }) => this.markStale(session));
    link.whenLost(() => {
      for (const session of [...this.watched.keys(), ...this.states.keys()]) this.markStale(session);
    });
  }

  /** Returns the state that all gateways share; a promise when it must be read. */
  of(name: SessionName): SessionState | Promise<SessionState> {
    const { session } = name;
    const state = this.watched.get(session) ?? this.states.get(session) ?? this.create(name);
    return state.isFresh ? state : this.read(session, state);
  }

  private create(name: SessionName): SessionState {
    const { session } = name;
    const state: SessionState = new SessionState(name, this.store, {
      changed: () => void this.link.broadcast({ kind: 'session_changed', session }),
      watched: (isWatched) => this.pin(session, state, isWatched),
    });
    this.states.set(session, state);
    return state;
  }

  private pin(session: string, state: SessionState, isWatched: boolean): void {
    if (isWatched) {
      this.watched.set(session, state);
      this.states.delete(session);
    } else if (this.watched.get(session) === state) {
      this.watched.delete(session);
      this.states.set(session, state);
    }
  }

  private read(session: string, state: SessionState): Promise<SessionState> {
    let reading = this.reading.get(session);
    if (reading === undefined) {
      reading = state
        .read()
        .then(() => state)
        .finally(() => this.reading.delete(session));
      this.reading.set(session, reading);
    }
    return reading;
  }

  /**
   * Marks a state as stale: a state with an open stream is read immediately, others at their next
   * use.
   */
  private markStale(session: string): void {
    const state = this.watched.get(session) ?? this.states.peek(session);
    if (state === undefined) return;
    state.markStale();
    if (state.onChange !== null) void this.read(session, state);
  }
}
