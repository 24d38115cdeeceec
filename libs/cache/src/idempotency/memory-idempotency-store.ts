import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import type { Claim, IdempotencyState, IdempotencyStore } from './idempotency-store';

export interface MemoryIdempotencyStoreOptions {
  /** All answers together; past it the least recently used are forgotten before their time. */
  readonly bytesMax: number;
  /** Requests under way; past it a new one is refused with `unavailable`. */
  readonly runningMax?: number;
  /** Milliseconds on any scale that only goes forward. */
  readonly now?: () => number;
}

interface Running {
  readonly claim: Claim;
  leasedUntil: number;
}

interface Done {
  readonly fingerprint: string;
  readonly answer: Buffer | null;
}

const ENTRY_OVERHEAD_BYTES = 512;

/** First answers of this process. Claims are apart from answers, so that a flood of answers cannot push out who is at work. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  private readonly running = new Map<string, Running>();
  private readonly done: LRUCache<string, Done>;
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly runningMax: number;
  private readonly now: () => number;

  constructor({ bytesMax, runningMax = 100_000, now }: MemoryIdempotencyStoreOptions) {
    this.done = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ answer }) => (answer?.length ?? 0) + ENTRY_OVERHEAD_BYTES,
      ...(now ? { perf: { now }, ttlResolution: 0 } : {}),
    });
    this.runningMax = runningMax;
    this.now = now ?? (() => performance.now());
  }

  claim(claim: Claim, leaseMs: number): Promise<IdempotencyState> {
    const { scope } = claim;
    const held = this.running.get(scope);
    if (held !== undefined && held.leasedUntil > this.now())
      return Promise.resolve({ kind: 'running', fingerprint: held.claim.fingerprint });
    const done = this.done.get(scope);
    if (done !== undefined) return Promise.resolve({ kind: 'done', ...done });
    if (held === undefined && this.running.size >= this.runningMax)
      return Promise.reject(new GatewayError('unavailable'));
    this.running.set(scope, { claim, leasedUntil: this.now() + leaseMs });
    return Promise.resolve({ kind: 'claimed' });
  }

  renew(claim: Claim, leaseMs: number): Promise<void> {
    const held = this.running.get(claim.scope);
    if (held?.claim.token === claim.token) held.leasedUntil = this.now() + leaseMs;
    return Promise.resolve();
  }

  complete(claim: Claim, answer: Buffer | null, ttlMs: number): Promise<void> {
    const { scope, fingerprint } = claim;
    const held = this.running.get(scope);
    const isLost = held === undefined ? this.done.has(scope) : held.claim.token !== claim.token;
    if (isLost) return Promise.resolve();
    this.running.delete(scope);
    this.done.set(scope, { fingerprint, answer }, { ttl: ttlMs });
    this.wake(scope);
    return Promise.resolve();
  }

  release({ scope, token }: Claim): Promise<void> {
    if (this.running.get(scope)?.claim.token === token) {
      this.running.delete(scope);
      this.wake(scope);
    }
    return Promise.resolve();
  }

  changed(scope: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.waiting.get(scope) ?? new Set();
      this.waiting.set(scope, waiting);
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        if (waiting.size === 0 && this.waiting.get(scope) === waiting) this.waiting.delete(scope);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      waiting.add(done);
    });
  }

  private wake(scope: string): void {
    for (const done of [...(this.waiting.get(scope) ?? [])]) done();
  }
}
