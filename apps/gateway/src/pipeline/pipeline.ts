import { GatewayError, toGatewayError } from '@gw/kernel';
import type { Exchange, Stage } from './exchange';

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
export class Pipeline {
  private readonly ordered: readonly Stage[];

  constructor(
    private readonly stages: PipelineStages,
    private readonly log: FailureLog,
  ) {
    const { accept, authenticate, receive, validate, resolve, admit, attempt, reply } = stages;
    this.ordered = [accept, authenticate, receive, validate, resolve, admit, attempt, reply];
  }

  /** Never rejects. */
  async run(exchange: Exchange): Promise<void> {
    try {
      let from = exchange.startedAt;
      for (const stage of this.ordered) {
        const pending = stage.run(exchange);
        if (pending) await pending;
        const now = performance.now();
        exchange.stageMs[stage.name] = now - from;
        from = now;
      }
    } catch (thrown) {
      this.fail(exchange, toGatewayError(thrown));
    }
  }

  private fail(exchange: Exchange, error: GatewayError): void {
    if (error.status >= 500) this.log(exchange, error);
    // An answer that has begun is ended by whoever writes it.
    if (exchange.reply !== null) return;
    exchange.outcome = exchange.clientGone ? 'client_closed' : error.status < 500 ? 'denied' : 'failed';
    this.stages.reply.fail(exchange, error);
  }
}
