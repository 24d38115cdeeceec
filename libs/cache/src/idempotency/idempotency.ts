import { GatewayError, keyReused, randomHex, type Tenant, DAY_MS } from '@gw/kernel';
import { decodeAnswer, encodeAnswer, type StoredAnswer } from '../stored-answer';
import type { Claim, IdempotencyState, IdempotencyStore } from './idempotency-store';
import { MemoryIdempotencyStore } from './memory-idempotency-store';

export interface IdempotencyOptions {
  /** How long the first answer is replayed; 24 h when absent. */
  readonly ttlMs?: number;
  /** How long a process that died holds its key; 30 s when absent. */
  readonly leaseMs?: number;
  /** Bytes of an answer with its description; a larger one is not kept and cannot be replayed. 4 MiB when absent. */
  readonly answerBytesMax?: number;
  /** Milliseconds on any scale that only goes forward. */
  readonly now?: () => number;
}

export interface WaitOptions {
  /** The longest wait for a first call that is under way. */
  readonly timeoutMs: number;
  /** The caller has left, so there is no wait. */
  readonly isGone: () => boolean;
  /** Who calls. */
  readonly tenant: Tenant;
}

/** The first call under a key: end it with exactly one of the two; what comes after does nothing. */
export interface FirstCall {
  readonly kind: 'first';
  /** Null: the answer is too large to keep. Resolves when it is kept, or could not be. Never rejects. */
  complete(answer: StoredAnswer | null): Promise<void>;
  /** There was no answer to replay; the next call under the key is the first again. Never rejects. */
  release(): Promise<void>;
}

export type Begun = FirstCall | { readonly kind: 'replay'; readonly answer: StoredAnswer };

/** Waits are cut into pieces of this length, so that the caller's leaving is noticed. */
const WAIT_STEP_MS = 1_000;

/**
 * `Idempotency-Key`: the first answer under a key is replayed; a call that finds the first one under way waits for it. While the
 * shared store cannot be reached, this process keeps the promise for itself.
 */
export class Idempotency {
  private readonly ttlMs: number;
  private readonly leaseMs: number;
  private readonly answerBytesMax: number;
  private readonly now: () => number;

  constructor(
    private readonly store: IdempotencyStore,
    private readonly fallback: MemoryIdempotencyStore,
    options: IdempotencyOptions = {},
  ) {
    this.ttlMs = options.ttlMs ?? DAY_MS;
    this.leaseMs = options.leaseMs ?? 30_000;
    this.answerBytesMax = options.answerBytesMax ?? 4_194_304;
    this.now = options.now ?? (() => performance.now());
  }

  /**
   * Throws `idempotency_key_reused` when the key stood for another request, `idempotency_in_flight` when the first call is still
   * under way after `timeoutMs` or the caller has left, `conflict` when the first answer could not be kept.
   */
  async begin(scope: string, fingerprint: string, wait: WaitOptions): Promise<Begun> {
    const claim: Claim = { scope, fingerprint, token: randomHex(16), tenant: wait.tenant };
    const until = this.now() + wait.timeoutMs;
    for (;;) {
      const { store, state } = await this.claim(claim);
      if (state.kind === 'claimed') return this.firstCall(store, claim);
      if (state.fingerprint !== fingerprint) throw keyReused(state.fingerprint, fingerprint);
      if (state.kind === 'done') return replay(state.answer);
      const left = until - this.now();
      if (left <= 0 || wait.isGone()) {
        throw new GatewayError('idempotency_in_flight', { ...PARAM, headers: { 'retry-after': '1' } });
      }
      await store.changed(scope, Math.min(left, WAIT_STEP_MS));
    }
  }

  private async claim(claim: Claim): Promise<{ store: IdempotencyStore; state: IdempotencyState }> {
    try {
      return { store: this.store, state: await this.store.claim(claim, this.leaseMs) };
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw thrown;
      return { store: this.fallback, state: await this.fallback.claim(claim, this.leaseMs) };
    }
  }

  private firstCall(store: IdempotencyStore, claim: Claim): FirstCall {
    const renewing = setInterval(() => {
      store.renew(claim, this.leaseMs).catch(ignore);
    }, this.leaseMs / 3);
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
      complete: (answer) => end(() => store.complete(claim, this.frameOf(answer), this.ttlMs)),
      release: () => end(() => store.release(claim)),
    };
  }

  private frameOf(answer: StoredAnswer | null): Buffer | null {
    if (answer === null) return null;
    const frame = encodeAnswer(answer);
    return frame.length > this.answerBytesMax ? null : frame;
  }
}

const PARAM = { param: 'idempotency-key' } as const;

/** A claim that could not be renewed, completed or given back ends with its lease. */
const ignore = (): void => undefined;

function replay(frame: Buffer | null): Begun {
  const answer = frame === null ? null : decodeAnswer(frame);
  if (answer !== null) return { kind: 'replay', answer };
  throw new GatewayError('conflict', {
    ...PARAM,
    message: 'The request was carried out under this Idempotency-Key, but its answer could not be kept.',
  });
}
