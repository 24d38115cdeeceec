import type { RoutingEvent, Usage } from '@gw/contracts';
import type { OutboundError } from '@gw/outbound';
import type { RoutingCursor } from '@gw/routing';
import { outcomeOf, type OutcomeFacts } from '../core/outcome';
import type { BodySink } from '../core/upstream';

/** The parts of a `RequestContext` that `StreamPace` reads and writes. */
interface PacedRequest {
  readonly reply: OutcomeFacts;
  readonly attempts: { events: readonly RoutingEvent[] };
  elapsedMs(): number;
}

/** Minimum output tokens for a meaningful speed. */
const TOKENS_MIN = 16;
/**
 * Maximum plausible speed in tokens per second. A faster stream was generated before it was sent.
 */
const SPEED_MAX = 10_000;
/**
 * Matches the beginning of a line that is neither empty nor a comment; some providers send comments
 * while the model is thinking.
 */
const FIELD = /(?:^|[\r\n])[^:\r\n]/;

/** Measures when the pieces of a stream arrived, for configs that choose or judge targets by it. */
export class StreamPace {
  private firstMs: number | null = null;
  private lastMs = 0;
  private isClientSlow = false;

  constructor(
    private readonly context: PacedRequest,
    private readonly cursor: RoutingCursor,
    private readonly status: number,
    /**
     * Milliseconds from the start of the request to the call; in `headMs`, those from the call to
     * the response's head.
     */
    private readonly startedMs: number,
    private readonly headMs: number,
  ) {}

  /** Returns a sink that measures the chunks and passes them to `sink`. */
  measured(sink: BodySink): BodySink {
    return {
      data: (chunk: Buffer) => {
        this.note(chunk);
        sink.data(chunk);
      },
      end: () => {
        sink.end();
      },
      fail: (error: OutboundError) => {
        sink.fail(error);
      },
    };
  }

  /**
   * Records that the client reads more slowly than the provider writes: later delays are not the
   * provider's fault, so the speed is not measured.
   */
  clientIsSlow(): void {
    this.isClientSlow = true;
  }

  /**
   * Returns the output tokens per second; null when unknown. Time counts from the first chunk, or
   * from the start of the call when tokens were generated before that chunk: by a reasoning model,
   * or by a provider that sends the whole response at once.
   */
  speed(usage: Usage | null): number | null {
    const { firstMs, lastMs, startedMs } = this;
    if (usage === null || firstMs === null || this.isClientSlow || usage.outputTokens < TOKENS_MIN)
      return null;
    const own = perSecond(usage.outputTokens, lastMs - firstMs);
    return usage.reasoningTokens > 0 || own > SPEED_MAX
      ? perSecond(usage.outputTokens, lastMs - startedMs)
      : own;
  }

  /**
   * Reports the stream to the routing plan when the request has ended. `usage` is the usage that
   * the stream reported.
   */
  report(usage: Usage | null): void {
    const { context, cursor, status } = this;
    const outcome = outcomeOf(context.reply);
    if (outcome !== 'ok' && outcome !== 'interrupted') cursor.streamed(null);
    else {
      const failure = outcome === 'ok' ? null : 'cut';
      const elapsedMs = this.firstMs === null ? this.headMs : this.firstMs - this.startedMs;
      cursor.streamed({ status, failure, retryAfterMs: null, elapsedMs, speed: this.speed(usage) });
    }
    context.attempts.events = cursor.routingEvents;
  }

  private note(chunk: Buffer): void {
    const nowMs = this.context.elapsedMs();
    if (this.firstMs === null && FIELD.test(chunk.toString('latin1'))) this.firstMs = nowMs;
    this.lastMs = nowMs;
  }
}

const perSecond = (tokens: number, ms: number): number => (tokens * 1_000) / Math.max(ms, 0.001);
