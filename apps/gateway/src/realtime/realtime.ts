import type { OutboundClient } from '@gw/outbound';
import type { Accounts } from '../limits/accounts';
import type { AttemptSender, BeforeCall } from '../pipeline/attempt/sender';
import type { Stage } from '../pipeline/exchange';
import { Pipeline, type FailureLog, type PipelineStages } from '../pipeline/pipeline';
import type { Settle } from '../pipeline/reply';
import type { RequestsUnderWay } from '../pipeline/under-way/requests-under-way';
import { HandshakeSender } from './handshake';
import { QueryModelStage } from './query-model.stage';
import { RealtimeDoor } from './realtime-door';
import { Sessions, type SessionsOptions } from './sessions';
import { UpgradeStage } from './upgrade.stage';

export interface RealtimeParts {
  /** Those of every request: a WebSocket differs in where its model is named, how it is sent and how it is answered. */
  readonly stages: PipelineStages;
  readonly attempts: (sender: AttemptSender) => Stage;
  readonly settle: Settle;
  readonly accounts: Pick<Accounts, 'sessions'>;
  readonly outbound: OutboundClient;
  readonly failures: FailureLog;
  readonly underWay: RequestsUnderWay;
  readonly beforeCall: BeforeCall;
  readonly options: SessionsOptions & { readonly connectionsMax: number };
}

export interface Realtime {
  readonly door: RealtimeDoor;
  close(): void;
}

/** WebSockets below the data plane's paths. */
export function createRealtime(parts: RealtimeParts): Realtime {
  const { stages, attempts, settle, accounts, outbound, failures, underWay, beforeCall, options } = parts;
  const sessions = new Sessions(settle, accounts.sessions, options);
  const pipeline = new Pipeline(
    {
      ...stages,
      receive: new QueryModelStage(),
      attempt: attempts(new HandshakeSender(outbound, options.maxMessageBytes, beforeCall)),
      reply: new UpgradeStage(stages.reply, sessions),
    },
    failures,
    underWay,
  );
  return {
    door: new RealtimeDoor(pipeline, options.connectionsMax, () => sessions.lingeringCount),
    close: () => {
      sessions.close();
    },
  };
}
