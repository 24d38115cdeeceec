import type { GatewayError } from '@gw/kernel';
import type { Exchange } from '../pipeline/exchange';
import type { LastStage } from '../pipeline/pipeline';
import { UpgradeAnswer } from './handshake';
import type { Sessions } from './sessions';

/** Upgrades the client if the provider has accepted; every other answer is an answer like on any route. */
export class UpgradeStage implements LastStage {
  readonly name = 'reply';

  constructor(
    private readonly reply: LastStage,
    private readonly sessions: Sessions,
  ) {}

  run(exchange: Exchange): void | Promise<void> {
    const { answer } = exchange;
    if (!(answer instanceof UpgradeAnswer) || answer.peer === null) return this.reply.run(exchange);
    this.sessions.begin(exchange, answer, answer.peer);
  }

  fail(exchange: Exchange, error: GatewayError): void {
    this.reply.fail(exchange, error);
  }
}
