import { GatewayError, keyReused, randomHex, type Tenant, DAY_MS } from '@gw/kernel';
import { decodeResponse, encodeResponse, type CachedResponse } from '../cached-response';
import type { IdempotencyClaim, IdempotencyState, IdempotencyStore } from './idempotency-store';
import { MemoryIdempotencyStore } from './memory-idempotency-store';

export interface IdempotencyOptions {
  /** How long the first response is replayed; 24 h when absent. */
  readonly ttlMs?: number;
  /** How long a dead process holds its key; 30 s when absent. */
  readonly leaseMs?: number;
  /**
   * Maximum bytes of a response with its description; a larger one is not kept and cannot be
   * replayed. 4 MiB when absent.
   */
  readonly responseBytesMax?: number;
  /** Returns milliseconds on any scale that only increases. */
  readonly now?: () => number;
}

export interface WaitOptions {
  /** The longest wait for a first call in flight. */
  readonly timeoutMs: number;
  /** Returns true when the caller has disconnected, so that the wait ends. */
  readonly isGone: () => boolean;
  /** Tenant of the caller. */
  readonly tenant: Tenant;
}

/**
 * The first call under a key. End it with exactly one of its two methods; later calls have no
 * effect.
 */
export interface FirstCall {
  readonly kind: 'first';
  /**
   * Stores the response; null when it is too large to keep. Resolves when it is stored or storing
   * failed. Never rejects.
   */
  complete(response: CachedResponse | null): Promise<void>;
  /**
   * Ends the call without a response to replay; the next call under the key is the first again.
   * Never rejects.
   */
  release(): Promise<void>;
}

export type StartedCall = FirstCall | { readonly kind: 'replay'; readonly response: CachedResponse };

/** Milliseconds between two checks whether a waiting caller has disconnected. */
const WAIT_STEP_MS = 1_000;

/**
 * Implements `Idempotency-Key`: the first response under a key is replayed, and a call that finds
 * the first one in flight waits for it. While the shared store is unreachable, this guarantee holds
 * within this process only.
 */
export class Idempotency {
  private readonly ttlMs: number;
  private readonly leaseMs: number;
  private readonly responseBytesMax: number;
  private readonly now: () => number;

  constructor(
    private readonly store: IdempotencyStore,
    private readonly fallback: MemoryIdempotencyStore,
    options: IdempotencyOptions = {},
  ) {
    this.ttlMs = options.ttlMs ?? DAY_MS;
    this.leaseMs = options.leaseMs ?? 30_000;
    this.responseBytesMax = options.responseBytesMax ?? 4_194_304;
    this.now = options.now ?? (() => performance.now());
  }

  /**
   * Starts a call under a key. Throws `idempotency_key_reused` when the key was used for another
   * request, `idempotency_in_flight` when the first call is still in flight after `timeoutMs` or
   * the caller has disconnected, and `conflict` when the first response could not be kept.
   */
  async begin(scope: string, fingerprint: string, wait: WaitOptions): Promise<StartedCall> {
    const claim: IdempotencyClaim = { scope, fingerprint, token: randomHex(16), tenant: wait.tenant };
    const until = this.now() + wait.timeoutMs;
    for (;;) {
      const { store, state } = await this.claim(claim);
      if (state.kind === 'claimed') return this.firstCall(store, claim);
      if (state.fingerprint !== fingerprint) throw keyReused(state.fingerprint, fingerprint);
      if (state.kind === 'done') return replay(state.response);
      const left = until - this.now();
      if (left <= 0 || wait.isGone()) {
        throw new GatewayError('idempotency_in_flight', { ...PARAM, headers: { 'retry-after': '1' } });
      }
      await store.changed(scope, Math.min(left, WAIT_STEP_MS));
    }
  }

  private async claim(
    claim: IdempotencyClaim,
  ): Promise<{ store: IdempotencyStore; state: IdempotencyState }> {
    const { store, fallback, leaseMs } = this;
    let state: IdempotencyState;
    try {
      state = await store.claim(claim, leaseMs);
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw thrown;
      return { store: fallback, state: await fallback.claim(claim, leaseMs) };
    }
    if (state.kind !== 'claimed' || store === fallback) return { store, state };
    // The shared store may fail before the call ends. Without space in this process, only the
    // shared store knows of the call.
    const own = await fallback.claim(claim, leaseMs).catch(() => state);
    if (own.kind === 'claimed') return { store, state };
    // This process knows of a first call that the shared store has lost.
    await store.release(claim).catch(ignore);
    return { store: fallback, state: own };
  }

  private firstCall(store: IdempotencyStore, claim: IdempotencyClaim): FirstCall {
    const { fallback, leaseMs, ttlMs } = this;
    const renewing = setInterval(() => {
      store.renew(claim, leaseMs).catch(ignore);
      if (store !== fallback) fallback.renew(claim, leaseMs).catch(ignore);
    }, leaseMs / 3);
    renewing.unref();
    let over = false;
    const end = (action: () => Promise<void>): Promise<void> => {
      if (over) return Promise.resolve();
      over = true;
      clearInterval(renewing);
      return action().catch(ignore);
    };
    return {
      kind: 'first',
      complete: (response) =>
        end(async () => {
          const frame = this.frameOf(response);
          const isStored = await store.complete(claim, frame, ttlMs).then(yes, no);
          if (store === fallback) return;
          if (isStored) await fallback.release(claim);
          else await fallback.complete(claim, frame, ttlMs);
        }),
      release: () =>
        end(async () => {
          // First in this process, so that a call that claims the key in the shared store has it here.
          if (store !== fallback) await fallback.release(claim);
          await store.release(claim);
        }),
    };
  }

  private frameOf(response: CachedResponse | null): Buffer | null {
    if (response === null) return null;
    const frame = encodeResponse(response);
    return frame.length > this.responseBytesMax ? null : frame;
  }
}

const PARAM = { param: 'idempotency-key' } as const;

/**
 * Ignores an error: a claim that could not be renewed, completed or released ends with its lease.
 */
const ignore = (): void => undefined;
const yes = (): boolean => true;
const no = (): boolean => false;

function replay(frame: Buffer | null): StartedCall {
  const response = frame === null ? null : decodeResponse(frame);
  if (response !== null) return { kind: 'replay', response };
  throw new GatewayError('conflict', {
    ...PARAM,
    message:
      'The request with this Idempotency-Key was carried out, but its response could not be kept; use a new key to repeat it.',
  });
}
