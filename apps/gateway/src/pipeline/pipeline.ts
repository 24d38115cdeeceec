import { GatewayError, toGatewayError } from '@gw/kernel';
import type { Exchange, Stage } from './exchange';
import type { AcceptStage } from './stages/accept.stage';
import type { AdmitStage } from './stages/admit.stage';
import type { AttemptStage } from './stages/attempt.stage';
import type { AuthenticateStage } from './stages/authenticate.stage';
import type { ReceiveStage } from './stages/receive.stage';
import type { ReplyStage } from './stages/reply.stage';
import type { ResolveStage } from './stages/resolve.stage';

export interface PipelineStages {
  readonly accept: AcceptStage;
  readonly authenticate: AuthenticateStage;
  readonly receive: ReceiveStage;
  readonly resolve: ResolveStage;
  readonly admit: AdmitStage;
  readonly attempt: AttemptStage;
  readonly reply: ReplyStage;
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
    const { accept, authenticate, receive, resolve, admit, attempt, reply } = stages;
    this.ordered = [accept, authenticate, receive, resolve, admit, attempt, reply];
  }

  /** Never rejects. */
  async run(exchange: Exchange): Promise<void> {
    try {
      let from = exchange.startedAt;
      for (const stage of this.ordered) {
        const pending = stage.run(exchange);
        if (pending) await pending;
        const now = performance.now();
        exchange.stageMs[stage.name] = Math.round((now - from) * 1_000) / 1_000;
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
