import { performance } from 'node:perf_hooks';
import { GatewayError } from '@gw/kernel';
import { Endings, type EarlyEnd } from './endings';
import type { Faults } from './faults';
import { STAGE_ORDER, timeIndexOf, type StageName } from './order';
import type { RequestContext, Stage } from './request-context';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';

/** The stage that writes the response, also the error response when another stage fails. */
export interface LastStage extends Stage {
  fail(context: RequestContext, error: GatewayError): void;
  /** Settles a request whose response cannot be written, and closes its connection. */
  drop(context: RequestContext, error: GatewayError): void;
}

export interface PipelineStages extends Readonly<Record<Exclude<StageName, 'session' | 'reply'>, Stage>> {
  /** Null when no request becomes a WebSocket session. */
  readonly session: Stage | null;
  readonly reply: LastStage;
}

/** Called with failures of the gateway itself, including details that the caller must not see. */
export type FailureLog = (context: RequestContext, error: GatewayError) => void;

/** Runs the stages of one request, in order. */
export class Pipeline implements EarlyEnd {
  private readonly endings: Endings;
  private readonly ordered: readonly Stage[];
  /** Maps the index of a stage to the index of its time; -1 when the stage is not timed. */
  private readonly timeOf: readonly number[];

  constructor(
    private readonly stages: PipelineStages,
    private readonly log: FailureLog,
    private readonly requestsInFlight: RequestsInFlight,
    faults: Pick<Faults, 'ofRequest'>,
  ) {
    this.endings = new Endings(faults, this);
    const present = STAGE_ORDER.filter((name) => stages[name] !== null);
    this.ordered = present.map((name) => stages[name] as Stage);
    this.timeOf = present.map(timeIndexOf);
  }

  /** Never throws: a failure becomes an error response. */
  run(context: RequestContext): void {
    this.requestsInFlight.join(context);
    context.containment = this.endings;
    this.runFrom(0, context, context.startedAt);
  }

  /**
   * Ends a response: with the error when no byte of it was written, otherwise by cutting the
   * response or session.
   */
  end(context: RequestContext, error: GatewayError): void {
    const { reply, clientGone, session } = context;
    if (session !== null && session.fail !== null) {
      session.fail(error);
      return;
    }
    if (clientGone) reply.clientLeft();
    if (reply.writer === null || reply.writer.withdraw()) this.stages.reply.fail(context, error);
    else {
      reply.brokenBy(error);
      reply.writer.break();
    }
  }

  drop(context: RequestContext, error: GatewayError): void {
    this.stages.reply.drop(context, error);
  }

  /**
   * Runs the stages from index `first` on. After a stage that returns no promise, the next one runs
   * in the same turn of the event loop.
   */
  private runFrom(first: number, context: RequestContext, startedAt: number): void {
    try {
      let from = startedAt;
      for (let at = first; at < this.ordered.length; at += 1) {
        const pending = (this.ordered[at] as Stage).run(context);
        if (pending) {
          pending.then(
            () => this.runFrom(at + 1, context, this.noteTime(at, context, from)),
            (thrown: unknown) => this.fail(context, thrown),
          );
          return;
        }
        from = this.noteTime(at, context, from);
      }
    } catch (thrown) {
      this.fail(context, thrown);
    }
  }

  private noteTime(stage: number, context: RequestContext, from: number): number {
    const time = this.timeOf[stage] as number;
    if (time < 0) return from;
    const now = performance.now();
    context.stageMs[time] = now - from;
    return now;
  }

  private fail(context: RequestContext, thrown: unknown): void {
    if (!(thrown instanceof GatewayError)) {
      this.endings.contain(context, thrown);
      return;
    }
    if (thrown.status >= 500) this.log(context, thrown);
    this.endings.end(context, thrown);
  }
}
