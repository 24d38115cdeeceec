import type { SessionFacts } from '@gw/mcp';
import { LRUCache } from 'lru-cache';

const SESSIONS_MAX = 20_000;
const SUBSCRIPTIONS_MAX = 100;

/** What a client set in its session. It is lost with the process; clients set it again when they reconnect. */
export class SessionState {
  /** Null: the client set none. */
  logLevel: string | null = null;
  readonly subscriptions = new Set<string>();
  /** Called when a subscription begins or ends. */
  changed: (() => void) | null = null;

  /** False when the session has as many subscriptions as it may. */
  subscribe(uri: string): boolean {
    if (this.subscriptions.size >= SUBSCRIPTIONS_MAX && !this.subscriptions.has(uri)) return false;
    this.subscriptions.add(uri);
    this.changed?.();
    return true;
  }

  unsubscribe(uri: string): void {
    if (this.subscriptions.delete(uri)) this.changed?.();
  }
}

/** States of sessions; at 20,000 the one that was unused for longest is dropped. */
export class SessionStates {
  private readonly states = new LRUCache<string, SessionState>({
    maxSize: SESSIONS_MAX,
    sizeCalculation: () => 1,
  });

  of({ nonce }: SessionFacts): SessionState {
    let state = this.states.get(nonce);
    if (state === undefined) this.states.set(nonce, (state = new SessionState()));
    return state;
  }
}
