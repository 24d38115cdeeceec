import { LRUCache } from 'lru-cache';
import {
  EMPTY_SESSION,
  SUBSCRIPTIONS_MAX,
  type SessionName,
  type SessionStore,
  type StoredSession,
} from './session-store';

const SESSIONS_MAX = 100_000;

/** Keeps sessions in this process, for a gateway without Redis. Those that were unused for longest make room. */
export class MemorySessionStore implements SessionStore {
  private readonly sessions = new LRUCache<string, StoredSession>({
    maxSize: SESSIONS_MAX,
    sizeCalculation: () => 1,
  });

  load(name: SessionName): Promise<StoredSession> {
    return Promise.resolve(this.of(name));
  }

  setLogLevel(name: SessionName, logLevel: string): Promise<void> {
    return this.set(name, { logLevel });
  }

  async subscribe(name: SessionName, uri: string): Promise<boolean> {
    const { subscriptions } = this.of(name);
    if (subscriptions.includes(uri)) return true;
    if (subscriptions.length >= SUBSCRIPTIONS_MAX) return false;
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
    return this.sessions.get(session) ?? EMPTY_SESSION;
  }

  private set(name: SessionName, change: Partial<StoredSession>): Promise<void> {
    this.sessions.set(name.session, { ...this.of(name), ...change });
    return Promise.resolve();
  }
}
