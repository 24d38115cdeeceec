import { GatewayError } from '@gw/kernel';
import type { RoutingEvent } from '@gw/contracts';
import type { CompiledConfig, CompiledEdge, CompiledNode, CompiledTarget } from './compile/compiled';
import type { HedgeOffer } from './budgets';
import { behaviourOf, isOpen } from './faults';
import { learn, type AttemptTargets } from './learn';
import { isRetryable, waitBefore } from './retry';
import type { ChoosingCursor, Frame } from './strategy';
import type { AttemptOutcome, RequestFacts, RoutingRuntime, RoutingStep, StopReason } from './types';

/** Creates the cursor of one request through a config. */
export const createPlan = (
  compiled: CompiledConfig,
  facts: RequestFacts,
  runtime: RoutingRuntime,
): RoutingCursor => new RoutingCursor(compiled, facts, runtime);

const NO_TRAIL: readonly string[] = Object.freeze([]);
const NO_EVENTS: readonly RoutingEvent[] = Object.freeze([]);
const EVENTS_MAX = 50;

const STOP: Readonly<Record<StopReason, RoutingStep>> = Object.freeze({
  answered: Object.freeze({ kind: 'stop', reason: 'answered' }),
  targets_exhausted: Object.freeze({ kind: 'stop', reason: 'targets_exhausted' }),
});

/**
 * Decides the next step of a request, one outcome at a time.
 * It always ends: every step uses up one of a target's attempts (at most 6), moves a fallback to
 * its next target, or moves a balanced choice to one not picked yet; a config has at most 100
 * targets.
 */
export class RoutingCursor implements ChoosingCursor {
  /** @internal For strategies. */
  frame: Frame | null = null;
  /** @internal For strategies. */
  condition: string | null = null;
  private target: CompiledTarget | null = null;
  private offer: HedgeOffer | null = null;
  private retry = 0;
  private waitedMs = 0;
  private end: StopReason | null = null;
  private trail: string[] | null = null;
  private events: RoutingEvent[] | null = null;
  private endpoints: Map<CompiledTarget, string> | null = null;
  private gaveUp = false;
  private exhausted = false;
  private isProbe = false;
  private bypassing = false;
  private hedging = false;
  /** Whether the last choice was made by a hedge. */
  private chosenHedge = false;
  /** The attempt whose streamed response has not ended yet. */
  private streaming: AttemptTargets | null = null;

  /** Use `createPlan`. */
  constructor(
    readonly compiled: CompiledConfig,
    readonly facts: RequestFacts,
    readonly runtime: RoutingRuntime,
  ) {}

  /**
   * Returns the next step. `previous` is the outcome of the step before; null for the first call
   * only.
   * Throws `condition_unmatched` when no target could be chosen because a conditional has neither a
   * match nor a default.
   */
  next(previous: AttemptOutcome | null): RoutingStep {
    if (this.end !== null) return STOP[this.end];
    if (this.target === null) {
      this.runtime.state.retries.of(this.facts.workspace()).earn();
      return this.enter(this.compiled.root);
    }
    if (previous === null) {
      throw new GatewayError('internal_error', {
        detail: { reason: 'the cursor was called without the outcome of its last step' },
      });
    }
    const isCutShort = previous.isLast === true && !this.endsWith(previous);
    const target = this.learnFrom(this.target, previous);
    if (isCutShort) {
      this.gaveUp = target.retry.attempts > 0 && isRetryable(previous, target);
      this.note(target.path, 'call_limit_reached');
      return this.stop();
    }
    return this.retryStep(target, previous) ?? this.moveOn(previous);
  }

  /** Whether an outcome of the last step would end the request. Learns nothing from it. */
  endsWith(outcome: AttemptOutcome): boolean {
    const target = outcome.hedge?.winner === 'second' && this.offer ? this.offer.target : this.target;
    if (target === null || (this.retry < target.retry.attempts && isRetryable(outcome, target))) return false;
    for (let { frame } = this; frame !== null; frame = frame.outer) {
      if (!frame.isSpent && frame.movesOn(outcome, target)) return false;
    }
    return true;
  }

  /**
   * Reports that the streamed response is over. `outcome` is null when it says nothing about the
   * target, for example after a client disconnect.
   */
  streamed(outcome: AttemptOutcome | null): void {
    const { streaming } = this;
    this.streaming = null;
    if (streaming === null) return;
    if (outcome !== null) learn(streaming, outcome, this);
    else if (streaming.isProbe) this.release(streaming.target);
  }

  /** Discards the outcome of the last step. Call it when a request ends without another `next`. */
  abandon(): void {
    if (this.isProbe && this.target !== null) this.release(this.target);
    this.isProbe = false;
  }

  private release(target: CompiledTarget): void {
    if (target.breaker !== null) this.runtime.state.health.release(this.endpoint(target), target.breaker);
  }

  /** The choices so far in order, for the decision record: `config: fallback -> targets[1]`. */
  get strategyTrail(): readonly string[] {
    return this.trail ?? NO_TRAIL;
  }

  /** The other events that influenced the choices, for the decision record; at most 50. */
  get routingEvents(): readonly RoutingEvent[] {
    return this.events ?? NO_EVENTS;
  }

  /**
   * The last condition that decided, or the default used: `config.strategy.conditions[0] ->
   * premium`.
   */
  get matchedCondition(): string | null {
    return this.condition;
  }

  /** Retries of the last attempted target; -1 when all retries failed or none could be made. */
  get retryCount(): number {
    return this.gaveUp ? -1 : this.retry;
  }

  /**
   * Whether the last step is for a target of a hedge, with or without a second request. A stream
   * then counts as started with its first event, so that its latency is comparable.
   */
  get inHedge(): boolean {
    return this.hedging;
  }

  /**
   * Records an outcome. Returns the target that it came from: the second one of a hedge if that
   * won.
   */
  private learnFrom(target: CompiledTarget, outcome: AttemptOutcome): CompiledTarget {
    const { offer, isProbe } = this;
    this.isProbe = false;
    this.offer = null;
    const second = offer?.target ?? null;
    const attempt = { target, second, isProbe };
    if (outcome.goesOn === true) this.streaming = attempt;
    else learn(attempt, outcome, this);
    return (this.target = second !== null && outcome.hedge?.winner === 'second' ? second : target);
  }

  /**
   * Returns another attempt of the same target or a sibling, if the outcome, the attempts and the
   * budgets allow one.
   */
  private retryStep(target: CompiledTarget, outcome: AttemptOutcome): RoutingStep | null {
    const { retry: rules } = target;
    if (rules.attempts === 0) return null;
    const isLimited = outcome.status === 429 && rules.onStatusCodes.includes(429);
    if (isLimited && outcome.failure === 'refused') {
      // The gateway itself refused the call: there is nothing to repeat, but a sibling may have
      // capacity.
      const siblingEdge = this.retry < rules.attempts ? this.sibling() : null;
      return siblingEdge && this.rotate(siblingEdge);
    }
    if (!isRetryable(outcome, target)) return null;
    this.gaveUp = true;
    if (this.retry >= rules.attempts) return null;
    const sibling = isLimited ? this.sibling() : null;
    return sibling === null ? this.repeat(target, outcome, false) : this.replace(target, sibling, outcome);
  }

  /** Returns an attempt at a sibling of a rate-limited target, or another attempt of the target. */
  private replace(
    target: CompiledTarget,
    sibling: CompiledEdge,
    outcome: AttemptOutcome,
  ): RoutingStep | null {
    if (!this.mayRepeat(target)) return null;
    return this.rotate(sibling) ?? this.repeat(target, outcome, true);
  }

  /** Returns another attempt of the same target. `isPaid`: the retry budget has paid for it. */
  private repeat(target: CompiledTarget, outcome: AttemptOutcome, isPaid: boolean): RoutingStep | null {
    const { runtime } = this;
    if (!this.bypassing && target.breaker && isOpen(target, this)) {
      this.note(target.path, 'breaker_open');
      return null;
    }
    const waitMs = waitBefore(this.retry + 1, outcome, target.retry, this.waitedMs, runtime);
    if (waitMs === null) {
      this.note(target.path, 'wait_budget_spent');
      return null;
    }
    if (!isPaid && !this.mayRepeat(target)) return null;
    this.gaveUp = false;
    this.waitedMs += waitMs;
    this.retry++;
    return this.step(target, waitMs, null);
  }

  private mayRepeat(target: CompiledTarget): boolean {
    const { retries } = this.runtime.state;
    if (retries.of(this.facts.workspace()).take(this.runtime.now())) return true;
    this.note(target.path, 'retry_budget_spent');
    return false;
  }

  /**
   * Returns the edge to a choice that was not picked yet, if the last target is in a balanced
   * choice.
   */
  private sibling(): CompiledEdge | null {
    return this.frame === null ? null : this.frame.sibling(this);
  }

  /**
   * Returns an attempt at the sibling, or at the next one if a conditional in it matches nothing;
   * null when none is left.
   */
  private rotate(sibling: CompiledEdge): RoutingStep | null {
    const { frame } = this;
    for (let edge: CompiledEdge | null = sibling; edge !== null; edge = this.sibling()) {
      const target = this.descend(this.follow(edge), frame);
      if (target === null) continue;
      this.note(edge.node.path, 'rotated');
      return this.attempt(target, this.retry + 1);
    }
    return null;
  }

  private moveOn(outcome: AttemptOutcome): RoutingStep {
    const edge = this.nextEdge(outcome, null);
    return edge ? this.enter(this.follow(edge)) : this.stop();
  }

  private enter(start: CompiledNode): RoutingStep {
    const target = this.descend(start, null);
    if (target) return this.attempt(target, 0);
    if (this.target) return this.stop();
    throw new GatewayError('condition_unmatched');
  }

  /**
   * Descends to a target; null when there is none. A conditional that matches nothing counts as a
   * failed target, so a fallback between it and `outer` moves on.
   */
  private descend(start: CompiledNode, outer: Frame | null): CompiledTarget | null {
    let node = start;
    this.chosenHedge = false;
    while (node.kind !== 'target') {
      const edge: CompiledEdge | null = behaviourOf(node).choose(node, this) ?? this.nextEdge(null, outer);
      if (edge === null) return null;
      node = this.follow(edge);
    }
    return node;
  }

  private attempt(target: CompiledTarget, retry: number): RoutingStep {
    this.retry = retry;
    this.gaveUp = false;
    const isHedged = this.chosenHedge;
    this.begin(target);
    this.hedging = isHedged;
    // A retry has no second request.
    if (retry > 0) this.offer = null;
    return this.step(target, 0, isHedged ? this.offer : null);
  }

  private begin(target: CompiledTarget): void {
    this.target = target;
    this.bypassing = false;
    this.hedging = false;
    if (target.breaker === null) return;
    const { state } = this.runtime;
    const entry = state.health.enter(this.endpoint(target), target.breaker, this.runtime.now());
    this.isProbe = entry === 'probe';
    this.bypassing = entry === 'rejected';
    if (this.isProbe) this.note(target.path, 'breaker_probe');
    if (this.bypassing) this.note(target.path, 'breaker_bypassed');
  }

  /** @internal For strategies. */
  hedge(offer: HedgeOffer | null): void {
    this.chosenHedge = true;
    this.offer = offer;
  }

  private step(target: CompiledTarget, waitMs: number, hedge: HedgeOffer | null): RoutingStep {
    return { kind: 'attempt', target, retry: this.retry, waitMs, hedge };
  }

  /**
   * Returns the next target of the innermost fallback within `outer` that acts on the outcome;
   * `outcome` is null when a choice could not be made.
   */
  private nextEdge(outcome: AttemptOutcome | null, outer: Frame | null): CompiledEdge | null {
    this.exhausted = false;
    for (; this.frame !== null && this.frame !== outer; this.frame = this.frame.outer) {
      if (!this.frame.movesOn(outcome, this.target)) continue;
      this.exhausted = true;
      const edge = this.frame.next(this);
      if (edge) return edge;
    }
    return null;
  }

  private stop(): RoutingStep {
    this.end = this.exhausted ? 'targets_exhausted' : 'answered';
    return STOP[this.end];
  }

  private follow(edge: CompiledEdge): CompiledNode {
    (this.trail ??= []).push(edge.trail);
    return edge.node;
  }

  endpoint(target: CompiledTarget): string {
    const endpoints = (this.endpoints ??= new Map<CompiledTarget, string>());
    let endpoint = endpoints.get(target);
    if (endpoint === undefined) {
      endpoint = this.facts.endpoint(target);
      endpoints.set(target, endpoint);
    }
    return endpoint;
  }

  note(target: string, event: RoutingEvent['event']): void {
    const events = (this.events ??= []);
    if (events.length < EVENTS_MAX) events.push({ target, event });
  }
}
