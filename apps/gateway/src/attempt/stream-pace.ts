import type { RoutingEvent, Usage } from '@gw/contracts';
import type { OutboundError } from '@gw/outbound';
import type { RoutingCursor } from '@gw/routing';
import { outcomeOf, type OutcomeFacts } from '../core/outcome';
import type { BodySink } from '../core/upstream';

/** The parts of a request that its pace reads and reports to; `RequestContext` has them. */
interface PacedRequest {
  readonly reply: OutcomeFacts;
  readonly attempts: { events: readonly RoutingEvent[] };
  elapsedMs(): number;
}

/** Of fewer output tokens the speed would be chance. */
const TOKENS_MIN = 16;
/** What comes faster, in tokens a second, was not made while it came. */
const SPEED_MAX = 10_000;
/** The beginning of a line that is neither empty nor a comment, which some providers send while they are thinking. */
export const FIELD = /(?:^|[\r\n])[^:\r\n]/;

/** When the pieces of a stream came, for configs that choose or judge targets by it. */
export class StreamPace {
  private firstMs: number | null = null;
  private lastMs = 0;
  private isHeldUp = false;

  constructor(
    private readonly context: PacedRequest,
    private readonly cursor: RoutingCursor,
    private readonly status: number,
    /** When the call began, and how long its head took. */
    private readonly startedMs: number,
    private readonly headMs: number,
  ) {}

  /** Notes what goes on to `sink`. */
  through(sink: BodySink): BodySink {
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

  /** The client does not read as fast as the provider writes: what comes late from here on is not the provider's fault. */
  holdUp(): void {
    this.isHeldUp = true;
  }

  /**
   * Output tokens a second, or null where it is unknown. Counted from the first piece on; from the beginning of the call where
   * tokens were made before that: by a model that thought, or by a provider that sends all at once.
   */
  speed(usage: Usage | null): number | null {
    const { firstMs, lastMs, startedMs } = this;
    if (usage === null || firstMs === null || this.isHeldUp || usage.outputTokens < TOKENS_MIN) return null;
    const own = perSecond(usage.outputTokens, lastMs - firstMs);
    return usage.reasoningTokens > 0 || own > SPEED_MAX
      ? perSecond(usage.outputTokens, lastMs - startedMs)
      : own;
  }

  /** The request has ended with the stream. `usage`: as the stream reported it. */
  over(usage: Usage | null): void {
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
