import { HeldMemory, type ResponseMemory } from '@gw/outbound';
import type { EndSignal } from './call-ending';
import { cancelled, UpstreamError, type TimeoutPhase } from '../upstream-error';

export interface CallClockLimits {
  /** Milliseconds for the whole call. */
  readonly totalMs: number;
  /** Maximum silence of the upstream in milliseconds. */
  readonly idleMs: number;
  /** Milliseconds that the call may wait for input; 0: it never waits. */
  readonly inputMs?: number;
}

/**
 * The deadlines of one call across all its HTTP requests. It aborts with an `UpstreamError`:
 * `timeout`, or `cancelled` when the caller's signal aborts. Listeners and one timer cost a
 * fraction of an `AbortController` for each step of a call.
 */
export class CallClock {
  private readonly listeners = new Set<() => void>();
  private controller: AbortController | null = null;
  private reason: UpstreamError | null = null;
  private timer: NodeJS.Timeout | null = null;
  private startedAt = 0;
  private touchedAt = 0;
  private leftMs: number;
  private holds = 0;
  private isEnded = false;
  private readonly held: HeldMemory | null;
  private readonly onCallerAbort = (): void => this.abort(cancelled(true));

  constructor(
    private readonly limits: CallClockLimits,
    private readonly caller: EndSignal | null = null,
    /** Counts the bytes that the call holds until it ends; null to count none. */
    memory: ResponseMemory | null = null,
  ) {
    this.held = memory && new HeldMemory(memory);
    this.leftMs = limits.totalMs;
    this.run();
    if (caller?.aborted === true) this.onCallerAbort();
    caller?.addEventListener('abort', this.onCallerAbort, { once: true });
  }

  /** Memory in which the bytes of the responses are counted. */
  get memory(): ResponseMemory | null {
    return this.held;
  }

  /** Why the call was aborted; null if it was not. */
  get aborted(): UpstreamError | null {
    return this.reason;
  }

  /** Signal for work that needs one. Its reason is `aborted`. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason !== null) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  /**
   * Calls a listener once when the call is aborted, or immediately if it already is. Callers remove
   * the listener when their work is done.
   */
  onAbort(listener: () => void): void {
    if (this.reason === null) this.listeners.add(listener);
    else listener();
  }

  offAbort(listener: () => void): void {
    this.listeners.delete(listener);
  }

  /** Restarts the limit of silence, because the upstream sent something. */
  touch(): void {
    this.touchedAt = performance.now();
  }

  /**
   * Pauses the deadlines while the call waits for input; `inputMs` limits the wait. Calls may nest.
   */
  hold(): void {
    this.holds += 1;
    if (this.holds > 1 || this.isEnded) return;
    this.leftMs -= performance.now() - this.startedAt;
    const inputMs = this.limits.inputMs ?? 0;
    this.after(inputMs, () => this.abort(timedOut('input', inputMs)));
  }

  release(): void {
    this.holds -= 1;
    if (this.holds === 0 && !this.isEnded) this.run();
  }

  /** Aborts the call. Later reasons are ignored. */
  abort(reason: UpstreamError): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.stopTimer();
    this.controller?.abort(reason);
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) listener();
  }

  /** Frees the timer and the memory. Must be called when the call has ended. */
  end(): void {
    this.isEnded = true;
    this.held?.end();
    this.stopTimer();
    this.caller?.removeEventListener('abort', this.onCallerAbort);
  }

  private run(): void {
    this.startedAt = performance.now();
    this.touchedAt = this.startedAt;
    this.wait(this.startedAt);
  }

  /**
   * Schedules the next check at the earliest expiry of the two limits; `touch` only records the
   * time.
   */
  private wait(now: number): void {
    const totalMs = this.leftMs - (now - this.startedAt);
    const idleMs = this.limits.idleMs - (now - this.touchedAt);
    this.after(Math.max(0, Math.min(totalMs, idleMs)), this.onDue);
  }

  private readonly onDue = (): void => {
    const now = performance.now();
    const { idleMs } = this.limits;
    if (now - this.startedAt >= this.leftMs) this.abort(timedOut('total', Math.max(0, this.leftMs)));
    else if (now - this.touchedAt >= idleMs) this.abort(timedOut('idle', idleMs));
    else this.wait(now);
  };

  private after(ms: number, due: () => void): void {
    this.stopTimer();
    if (this.reason !== null) return;
    // The timer does not keep the process alive; sockets of calls do that while it serves.
    this.timer = setTimeout(due, ms).unref();
  }

  private stopTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

const WAITED_FOR: Readonly<Record<TimeoutPhase, string>> = {
  connect: 'a connection',
  headers: 'the head of the response',
  idle: 'the next sign of the upstream',
  total: 'the end of the call',
  input: 'input that the upstream requested',
};

/** Returns the error of a time limit. A call without a connection was certainly not executed. */
export const timedOut = (phase: TimeoutPhase, ms: number): UpstreamError =>
  new UpstreamError(
    'timeout',
    `Timed out after ${String(Math.round(ms))} ms of waiting for ${WAITED_FOR[phase]}.`,
    {
      mayHaveExecuted: phase !== 'connect',
      phase,
    },
  );
