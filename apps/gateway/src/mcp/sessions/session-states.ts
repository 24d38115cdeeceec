import { MINUTE_MS } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import type { ReplicaLink } from '../replicas/replica-link';
import {
  EMPTY_SESSION,
  SUBSCRIPTIONS_MAX,
  type SessionName,
  type SessionStore,
  type StoredSession,
} from './session-store';

const SESSIONS_MAX = 20_000;
/** After so long, a state is read again, which keeps it in the store. */
const FRESH_MS = 10 * MINUTE_MS;
/** After so long, a state that could not be read is read again. */
const RETRY_MS = 5_000;
/** Reads in a row while the state changes. */
const READS_MAX = 5;

/** Settings of a client's session. They may be lost; clients set them again when they reconnect. */
export class SessionState {
  private stored: StoredSession = EMPTY_SESSION;
  private readonly uris = new Set<string>();
  /** Called when the subscriptions change. */
  changed: (() => void) | null = null;
  /** When the state must be read again, by `performance.now`. */
  private freshUntil = 0;
  /** Raised when what is being read may be out of date. */
  private version = 0;

  constructor(
    private readonly name: SessionName,
    private readonly store: SessionStore,
    private readonly announce: () => void,
  ) {}

  /** Whether the state was read lately and nothing has changed since. */
  get isFresh(): boolean {
    return performance.now() < this.freshUntil;
  }

  /** Whether the client ended the session. */
  get isEnded(): boolean {
    return this.stored.isEnded;
  }

  /** Null: the client set none. */
  get logLevel(): string | null {
    return this.stored.logLevel;
  }

  get subscriptions(): ReadonlySet<string> {
    return this.uris;
  }

  /** Digest of the lists that the client was last notified of; null: none. */
  get seenLists(): string | null {
    return this.stored.seenLists;
  }

  async setLogLevel(logLevel: string): Promise<void> {
    await this.write(() => this.store.setLogLevel(this.name, logLevel));
    this.stored = { ...this.stored, logLevel };
  }

  /** False when the session has as many subscriptions as it may. */
  async subscribe(uri: string): Promise<boolean> {
    if (this.uris.has(uri)) return true;
    if (this.uris.size >= SUBSCRIPTIONS_MAX) return false;
    const isStored = await this.write(() => this.store.subscribe(this.name, uri));
    if (isStored === false) return false;
    this.uris.add(uri);
    this.changed?.();
    return true;
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.uris.delete(uri)) return;
    this.changed?.();
    await this.write(() => this.store.unsubscribe(this.name, uri));
  }

  /** In the background: only the next stream of the session reads it. */
  sawLists(seenLists: string): void {
    if (this.stored.seenLists === seenLists) return;
    this.stored = { ...this.stored, seenLists };
    this.store.setSeenLists(this.name, seenLists).catch(() => undefined);
  }

  /** Ends the session, whose id is not good for anything any more. */
  async end(untilMs: number): Promise<void> {
    this.stored = { ...EMPTY_SESSION, isEnded: true };
    this.uris.clear();
    this.changed?.();
    await this.write(() => this.store.end(this.name, untilMs));
  }

  outdate(): void {
    this.freshUntil = 0;
    this.version += 1;
  }

  /** Reads what other gateways stored. What is known stays while the store cannot be reached. */
  async read(): Promise<void> {
    for (let left = READS_MAX; left > 0; left -= 1) {
      const { version } = this;
      const stored = await this.store.load(this.name).catch(() => null);
      if (stored === null) {
        // Requests do not wait again and again for a store that is slow.
        this.freshUntil = performance.now() + RETRY_MS;
        return;
      }
      if (version !== this.version) continue;
      this.freshUntil = performance.now() + FRESH_MS;
      this.take(stored);
      return;
    }
  }

  private take(stored: StoredSession): void {
    const { subscriptions } = stored;
    const isSame =
      subscriptions.length === this.uris.size && subscriptions.every((uri) => this.uris.has(uri));
    this.stored = stored;
    if (isSame) return;
    this.uris.clear();
    for (const uri of subscriptions) this.uris.add(uri);
    this.changed?.();
  }

  /** While the store cannot be reached, what the client set is known to this gateway alone: null. */
  private async write<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const written = await work();
      this.announce();
      return written;
    } catch {
      return null;
    } finally {
      this.version += 1;
    }
  }
}

/** States of sessions; at 20,000 the one that was unused for longest is dropped. */
export class SessionStates {
  private readonly states = new LRUCache<string, SessionState>({ max: SESSIONS_MAX });
  private readonly reading = new Map<string, Promise<SessionState>>();

  constructor(
    private readonly store: SessionStore,
    private readonly link: ReplicaLink,
  ) {
    link.on('session_changed', ({ session }) => this.outdate(session));
    link.whenLost(() => {
      for (const session of this.states.keys()) this.outdate(session);
    });
  }

  /** The state as it is for all gateways; a promise when it has to be read. */
  of(name: SessionName): SessionState | Promise<SessionState> {
    const { session } = name;
    let state = this.states.get(session);
    if (state?.isFresh === true) return state;
    if (state === undefined) {
      const changed = { kind: 'session_changed', session } as const;
      state = new SessionState(name, this.store, () => void this.link.broadcast(changed));
      this.states.set(session, state);
    }
    return this.read(session, state);
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

  /** A state that somebody watches is read at once, others when they are used. */
  private outdate(session: string): void {
    const state = this.states.peek(session);
    if (state === undefined) return;
    state.outdate();
    if (state.changed !== null) void this.read(session, state);
  }
}
