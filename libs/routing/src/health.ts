import type { CompiledBreaker } from './compile/compiled';
import type { BreakerChange, BreakerStore } from '@gw/contracts';
import { Breaker } from './breaker';
import { EndpointMap } from './endpoint-map';

/** Why an endpoint should be avoided. */
export type Mark = 'credential_failing' | 'rate_limited';

export interface TargetHealthOptions {
  /** Shares open breakers with other gateways. */
  readonly store?: BreakerStore;
  /**
   * Maximum number of breakers and of marks; 10,000 when absent. At the cap the workspace with the
   * most loses its oldest one.
   */
  readonly capacity?: number;
}

const CAPACITY = 10_000;
/** Upper bound on how long a breaker stays open, whatever a message from another gateway says. */
const OPEN_FOR_MS_MAX = 3_600_000;

/** The breakers and rate-limit marks of endpoints, by `endpointKey`. */
export class TargetHealth {
  private readonly breakers: EndpointMap<Breaker>;
  private readonly marks: EndpointMap<{
    readonly mark: Mark;
    readonly fromMs: number;
    readonly untilMs: number;
  }>;
  private readonly store: BreakerStore | null;

  constructor({ store, capacity }: TargetHealthOptions = {}) {
    this.store = store ?? null;
    this.breakers = new EndpointMap(capacity ?? CAPACITY);
    this.marks = new EndpointMap(capacity ?? CAPACITY);
  }

  /** Subscribes to the breakers of other gateways. Returns a function that unsubscribes. */
  listen(now: () => number): () => void {
    return (
      this.store?.subscribe((change) => {
        this.apply(change, now());
      }) ?? noop
    );
  }

  /** Whether any endpoint is marked; if not, callers can skip the lookup. */
  get hasMarks(): boolean {
    return this.marks.size > 0;
  }

  isOpen(endpoint: string, rules: CompiledBreaker, nowMs: number): boolean {
    const breaker = this.breakers.get(keyOf(endpoint, rules));
    return breaker !== undefined && !breaker.admits(rules, nowMs);
  }

  enter(endpoint: string, rules: CompiledBreaker, nowMs: number): 'passed' | 'probe' | 'rejected' {
    return this.breakers.get(keyOf(endpoint, rules))?.enter(rules, nowMs) ?? 'passed';
  }

  release(endpoint: string, rules: CompiledBreaker): void {
    this.breakers.get(keyOf(endpoint, rules))?.release();
  }

  /** Counts a call, and publishes to other gateways when that opened or closed the breaker. */
  record(
    endpoint: string,
    rules: CompiledBreaker,
    call: { readonly failed: boolean; readonly isProbe: boolean },
    nowMs: number,
  ): 'opened' | 'closed' | null {
    const key = keyOf(endpoint, rules);
    const transition = this.breakerOf(key).record(rules, call.failed, call.isProbe, nowMs);
    if (transition !== null)
      this.store?.publish({ key, openForMs: transition === 'opened' ? rules.cooldownMs : 0 });
    return transition;
  }

  /**
   * Marks an endpoint. A later mark replaces an earlier one, but a rate limit does not hide a
   * failing credential.
   */
  mark(endpoint: string, mark: Mark, untilMs: number, nowMs: number): void {
    if (mark === 'rate_limited' && this.markOf(endpoint, nowMs) === 'credential_failing') return;
    this.marks.delete(endpoint);
    this.marks.set(endpoint, { mark, fromMs: nowMs, untilMs });
  }

  markOf(endpoint: string, nowMs: number): Mark | null {
    const entry = this.marks.get(endpoint);
    if (entry === undefined) return null;
    // When the clock was set back, the mark counts as over, so that it does not last too long.
    if (nowMs >= entry.fromMs && nowMs < entry.untilMs) return entry.mark;
    this.marks.delete(endpoint);
    return null;
  }

  /** Returns the number of open and of known breakers, for metrics. */
  counts(nowMs: number): { readonly open: number; readonly known: number } {
    let open = 0;
    for (const [, breaker] of this.breakers.entries()) if (breaker.phase(nowMs) === 'open') open += 1;
    return { open, known: this.breakers.size };
  }

  private apply({ key, openForMs }: BreakerChange, nowMs: number): void {
    if (openForMs <= 0) this.breakers.get(key)?.close();
    else if (this.breakers.get(key)?.phase(nowMs) !== 'open') {
      this.breakerOf(key).open(Math.min(openForMs, OPEN_FOR_MS_MAX), nowMs);
    }
  }

  private breakerOf(key: string): Breaker {
    let breaker = this.breakers.get(key);
    if (breaker === undefined) {
      breaker = new Breaker();
      this.breakers.set(key, breaker);
    }
    return breaker;
  }
}

const noop = (): void => undefined;

const keyOf = (endpoint: string, rules: CompiledBreaker): string => `${endpoint}#${rules.id}`;
