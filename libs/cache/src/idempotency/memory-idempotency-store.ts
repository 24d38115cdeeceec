import { SharedEntries, Shares, type Share } from '@gw/kernel';
import {
  keysFull,
  type IdempotencyClaim,
  type IdempotencyState,
  type IdempotencyStore,
} from './idempotency-store';

export interface MemoryIdempotencyStoreOptions {
  /**
   * Maximum bytes of all responses. A workspace whose share is full loses its own responses first,
   * then its oldest keys.
   */
  readonly bytesMax: number;
  /**
   * Maximum number of requests in flight, shared in the same way; beyond it a new one is refused
   * with `unavailable`.
   */
  readonly runningMax?: number;
  /** Returns milliseconds on any scale that only increases. */
  readonly now?: () => number;
}

interface Running {
  readonly claim: IdempotencyClaim;
  leasedUntil: number;
}

interface Done {
  readonly fingerprint: string;
  readonly response: Buffer | null;
}

/** Bytes counted per key in addition to its response. */
const KEY_OVERHEAD_BYTES = 512;

/** First responses of this process. Claims are stored separately, so that a flood of responses
 * cannot evict requests in flight.
 */
export class MemoryIdempotencyStore implements IdempotencyStore {
  private readonly running = new Map<string, Running>();
  private readonly done: SharedEntries<Done>;
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly runningShares: Shares;
  private readonly now: () => number;

  constructor({ bytesMax, runningMax = 100_000, now }: MemoryIdempotencyStoreOptions) {
    this.done = new SharedEntries({
      bytesMax,
      sizeOf: ({ response }) => (response?.length ?? 0) + KEY_OVERHEAD_BYTES,
      // The key stays, so that the request is not carried out a second time.
      shrink: ({ fingerprint }) => ({ fingerprint, response: null }),
      ...(now ? { now } : {}),
    });
    this.runningShares = new Shares(runningMax);
    this.now = now ?? (() => performance.now());
  }

  claim(claim: IdempotencyClaim, leaseMs: number): Promise<IdempotencyState> {
    const { scope, tenant } = claim;
    const held = this.running.get(scope);
    if (held !== undefined && held.leasedUntil > this.now())
      return Promise.resolve({ kind: 'running', fingerprint: held.claim.fingerprint });
    const done = this.done.get(scope);
    if (done !== undefined) return Promise.resolve({ kind: 'done', ...done });
    if (held !== undefined) this.end(held.claim);
    if (!this.done.hasRoom(tenant, KEY_OVERHEAD_BYTES) || !this.shareOf(claim).take(1))
      return Promise.reject(keysFull());
    this.running.set(scope, { claim, leasedUntil: this.now() + leaseMs });
    return Promise.resolve({ kind: 'claimed' });
  }

  renew(claim: IdempotencyClaim, leaseMs: number): Promise<void> {
    const held = this.running.get(claim.scope);
    if (held?.claim.token === claim.token) held.leasedUntil = this.now() + leaseMs;
    return Promise.resolve();
  }

  complete(claim: IdempotencyClaim, response: Buffer | null, ttlMs: number): Promise<void> {
    const { scope, fingerprint, tenant } = claim;
    const held = this.running.get(scope);
    const isLost = held === undefined ? this.done.get(scope) !== undefined : held.claim.token !== claim.token;
    if (isLost) return Promise.resolve();
    if (held !== undefined) this.end(held.claim);
    if (!this.done.set(tenant, scope, { fingerprint, response }, ttlMs))
      this.done.set(tenant, scope, { fingerprint, response: null }, ttlMs);
    this.wake(scope);
    return Promise.resolve();
  }

  release({ scope, token }: IdempotencyClaim): Promise<void> {
    const held = this.running.get(scope);
    if (held?.claim.token === token) {
      this.end(held.claim);
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

  private end(claim: IdempotencyClaim): void {
    if (this.running.delete(claim.scope)) this.shareOf(claim).give(1);
  }

  private shareOf({ tenant }: IdempotencyClaim): Share {
    return this.runningShares.of(tenant.workspaceId, tenant.organisationId);
  }

  private wake(scope: string): void {
    for (const done of [...(this.waiting.get(scope) ?? [])]) done();
  }
}
