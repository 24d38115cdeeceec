import { performance } from 'node:perf_hooks';
import { GatewayError, toGatewayError } from '@gw/kernel';
import { gatewayStopping } from './broken-answer';
import type { Exchange, Stage } from './exchange';
import type { RequestsUnderWay } from './under-way/requests-under-way';

/** The stage that answers, which it does for failures of the others too. */
export interface LastStage extends Stage {
  fail(exchange: Exchange, error: GatewayError): void;
}

export interface PipelineStages {
  readonly accept: Stage;
  readonly authenticate: Stage;
  readonly receive: Stage;
  readonly validate: Stage;
  readonly resolve: Stage;
  readonly admit: Stage;
  readonly attempt: Stage;
  readonly reply: LastStage;
}

/** Told of failures that are ours, with what the caller must not see. */
export type FailureLog = (exchange: Exchange, error: GatewayError) => void;

/** The one place that decides the order of stages. The reply settles the exchange before the last byte of the answer. */
const ORDER = [
  'accept',
  'authenticate',
  'receive',
  'validate',
  'resolve',
  'admit',
  'attempt',
  'reply',
] as const satisfies readonly (keyof PipelineStages)[];

/** What `Exchange.stageMs` counts, by index. */
export const TIMED_STAGES: readonly string[] = [...ORDER, 'settle'];
export const RECEIVE_STAGE = ORDER.indexOf('receive');
export const SETTLE_STAGE = ORDER.length;

/** Runs the stages of one exchange, in order. */
export class Pipeline {
  private readonly ordered: readonly Stage[];

  constructor(
    private readonly stages: PipelineStages,
    private readonly log: FailureLog,
    private readonly underWay: RequestsUnderWay,
  ) {
    this.ordered = ORDER.map((name) => stages[name]);
  }

  /** Never throws: a failure is answered. */
  run(exchange: Exchange): void {
    this.underWay.join(exchange);
    this.runFrom(0, exchange, exchange.startedAt);
  }

  /** Ends a request because the process ends: with 503 where nothing of an answer has left, else by a cut. */
  interrupt(exchange: Exchange): void {
    const error = gatewayStopping();
    exchange.outcome = 'interrupted';
    exchange.failure = error;
    if (exchange.reply !== null) {
      exchange.reply.break();
      return;
    }
    // A stage that is still at work has nobody to answer any more.
    exchange.res.once('finish', () => {
      exchange.abandon();
    });
    this.stages.reply.fail(exchange, error);
  }

  /** A stage that does not wait costs no promise: the next one begins in the same turn. */
  private runFrom(first: number, exchange: Exchange, startedAt: number): void {
    try {
      let from = startedAt;
      for (let at = first; at < this.ordered.length; at += 1) {
        const pending = (this.ordered[at] as Stage).run(exchange);
        if (pending) {
          pending.then(
            () => this.runFrom(at + 1, exchange, this.noteTime(at, exchange, from)),
            (thrown: unknown) => this.fail(exchange, toGatewayError(thrown)),
          );
          return;
        }
        from = this.noteTime(at, exchange, from);
      }
    } catch (thrown) {
      this.fail(exchange, toGatewayError(thrown));
    }
  }

  private noteTime(stage: number, exchange: Exchange, from: number): number {
    const now = performance.now();
    exchange.stageMs[stage] = now - from;
    return now;
  }

  private fail(exchange: Exchange, error: GatewayError): void {
    if (error.status >= 500) this.log(exchange, error);
    // An answer that has begun is ended by whoever writes it.
    if (exchange.reply !== null) return;
    exchange.outcome = exchange.clientGone ? 'client_closed' : error.status < 500 ? 'denied' : 'failed';
    this.stages.reply.fail(exchange, error);
  }
}
