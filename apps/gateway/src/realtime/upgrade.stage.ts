import type { GatewayError } from '@gw/kernel';
import type { RequestContext } from '../core/request-context';
import type { LastStage } from '../core/pipeline';
import { UpgradeAnswer } from './handshake';
import type { Sessions } from './sessions';

/** Upgrades the client if the provider has accepted; every other answer is an answer like on any route. */
export class UpgradeStage implements LastStage {
  readonly name = 'reply';

  constructor(
    private readonly reply: LastStage,
    private readonly sessions: Sessions,
  ) {}

  run(context: RequestContext): void | Promise<void> {
    const { answer } = context;
    if (!(answer instanceof UpgradeAnswer) || answer.peer === null) return this.reply.run(context);
    this.sessions.begin(context, answer, answer.peer);
  }

  fail(context: RequestContext, error: GatewayError): void {
    this.reply.fail(context, error);
  }
}
