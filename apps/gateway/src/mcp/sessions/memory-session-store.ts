import { LRUCache } from 'lru-cache';
import {
  EMPTY_SESSION,
  SESSION_CHARACTERS_MAX,
  SESSIONS_OF_CALLER_MAX,
  SUBSCRIPTIONS_MAX,
  type SessionName,
  type SessionStore,
  type StoredSession,
} from './session-store';

/**
 * Maximum bytes of all sessions, counted as two for each character and `SESSION_BYTES` for each
 * session.
 */
const BYTES_MAX = 67_108_864;
const SESSION_BYTES = 512;

interface StoredEntry {
  readonly name: SessionName;
  readonly session: StoredSession;
}

/**
 * Stores sessions in this process, for a gateway without Redis. At the maximum the least recently
 * used sessions are removed: of the same caller when the caller has too many, otherwise of all
 * callers.
 */
export class MemorySessionStore implements SessionStore {
  private readonly sessions = new LRUCache<string, StoredEntry>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ session }) => SESSION_BYTES + 2 * charactersOf(session),
    dispose: ({ name }, _key, reason) => {
      if (reason !== 'set') this.forget(name);
    },
  });
  /** Session ids by caller, in the order of their last change. */
  private readonly byCaller = new Map<string, Set<string>>();

  load(name: SessionName): Promise<StoredSession> {
    return Promise.resolve(this.of(name));
  }

  setLogLevel(name: SessionName, logLevel: string): Promise<void> {
    return this.set(name, { logLevel });
  }

  async subscribe(name: SessionName, uri: string): Promise<boolean> {
    const session = this.of(name);
    const { subscriptions } = session;
    if (subscriptions.includes(uri)) return true;
    const isFull = charactersOf(session) + uri.length > SESSION_CHARACTERS_MAX;
    if (isFull || subscriptions.length >= SUBSCRIPTIONS_MAX) return false;
    await this.set(name, { subscriptions: [...subscriptions, uri] });
    return true;
  }

  unsubscribe(name: SessionName, uri: string): Promise<void> {
    return this.set(name, { subscriptions: this.of(name).subscriptions.filter((each) => each !== uri) });
  }

  setSeenLists(name: SessionName, seenLists: string): Promise<void> {
    return this.set(name, { seenLists });
  }

  end(name: SessionName): Promise<void> {
    return this.set(name, { ...EMPTY_SESSION, isEnded: true });
  }

  private of({ session }: SessionName): StoredSession {
    return this.sessions.get(session)?.session ?? EMPTY_SESSION;
  }

  private set(name: SessionName, change: Partial<StoredSession>): Promise<void> {
    const own = this.byCaller.get(name.principal) ?? new Set<string>();
    this.byCaller.set(name.principal, own);
    own.delete(name.session);
    own.add(name.session);
    this.sessions.set(name.session, { name, session: { ...this.of(name), ...change } });
    for (const oldest of own) {
      if (own.size <= SESSIONS_OF_CALLER_MAX) break;
      this.sessions.delete(oldest);
    }
    return Promise.resolve();
  }

  private forget({ principal, session }: SessionName): void {
    const own = this.byCaller.get(principal);
    own?.delete(session);
    if (own?.size === 0) this.byCaller.delete(principal);
  }
}

const charactersOf = ({ subscriptions, logLevel, seenLists }: StoredSession): number =>
  subscriptions.reduce((sum, uri) => sum + uri.length, (logLevel?.length ?? 0) + (seenLists?.length ?? 0));
