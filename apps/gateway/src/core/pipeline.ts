import { performance } from 'node:perf_hooks';
import { GatewayError, toGatewayError } from '@gw/kernel';
import { gatewayStopping } from '../attempt/broken-response';
import { STAGE_ORDER, timeIndexOf, type StageName } from './order';
import type { RequestContext, Stage } from './request-context';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';

/** The stage that answers, which it does for failures of the others too. */
export interface LastStage extends Stage {
  fail(context: RequestContext, error: GatewayError): void;
}

export interface PipelineStages extends Readonly<Record<Exclude<StageName, 'session' | 'reply'>, Stage>> {
  /** Null: no request becomes a session. */
  readonly session: Stage | null;
  readonly reply: LastStage;
}

/** Called with failures that are ours, with what the caller must not see. */
export type FailureLog = (context: RequestContext, error: GatewayError) => void;

/** Runs the stages of one request, in order. */
export class Pipeline {
  private readonly ordered: readonly Stage[];
  /** By the index of a stage: the index of its time; -1: it has none. */
  private readonly timeOf: readonly number[];

  constructor(
    private readonly stages: PipelineStages,
    private readonly log: FailureLog,
    private readonly underWay: RequestsInFlight,
  ) {
    const present = STAGE_ORDER.filter((name) => stages[name] !== null);
    this.ordered = present.map((name) => stages[name] as Stage);
    this.timeOf = present.map(timeIndexOf);
  }

  /** Never throws: a failure is answered. */
  run(context: RequestContext): void {
    this.underWay.join(context);
    this.runFrom(0, context, context.startedAt);
  }

  /** Ends a request because the process ends: with 503 where nothing of an answer has left, else by a cut. */
  interrupt(context: RequestContext): void {
    const error = gatewayStopping();
    const { reply } = context;
    reply.cut(error);
    if (reply.writer !== null) {
      reply.writer.break();
      return;
    }
    // A stage that is still at work has no client to answer any more.
    context.res.once('finish', () => {
      context.abandon();
    });
    this.stages.reply.fail(context, error);
  }

  /** A stage that does not wait costs no promise: the next one begins in the same turn. */
  private runFrom(first: number, context: RequestContext, startedAt: number): void {
    try {
      let from = startedAt;
      for (let at = first; at < this.ordered.length; at += 1) {
        const pending = (this.ordered[at] as Stage).run(context);
        if (pending) {
          pending.then(
            () => this.runFrom(at + 1, context, this.noteTime(at, context, from)),
            (thrown: unknown) => this.fail(context, toGatewayError(thrown)),
          );
          return;
        }
        from = this.noteTime(at, context, from);
      }
    } catch (thrown) {
      this.fail(context, toGatewayError(thrown));
    }
  }

  private noteTime(stage: number, context: RequestContext, from: number): number {
    const time = this.timeOf[stage] as number;
    if (time < 0) return from;
    const now = performance.now();
    context.stageMs[time] = now - from;
    return now;
  }

  private fail(context: RequestContext, error: GatewayError): void {
    if (error.status >= 500) this.log(context, error);
    // An answer that has begun is ended by its writer.
    if (context.reply.writer !== null) return;
    if (context.clientGone) context.reply.clientLeft();
    this.stages.reply.fail(context, error);
  }
}
