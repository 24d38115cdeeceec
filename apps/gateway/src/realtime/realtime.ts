import type { OutboundClient } from '@gw/outbound';
import type { Accounts } from '../limits/accounts';
import type { Next } from '../attempt/attempt-call';
import type { BeforeCall } from '../attempt/sender';
import type { Stage } from '../core/request-context';
import type { Faults } from '../core/faults';
import { Pipeline, type FailureLog, type PipelineStages } from '../core/pipeline';
import type { Settle } from '../reply/reply';
import type { GatewaySettings } from '../settings';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { HandshakeSender } from './handshake';
import { QueryModelStage } from './query-model.stage';
import { RealtimeDoor } from './realtime-door';
import { SessionRights } from './session-rights';
import { Sessions, type SessionsOptions } from './sessions';
import type { Documents } from '../auth/documents';
import type { Principals } from '../auth/principals';
import { SessionStage } from './session.stage';

export interface RealtimeParts {
  /**
   * The stages of every request. A WebSocket differs in where it names its model, how it is sent,
   * and how the response is delivered.
   */
  readonly stages: PipelineStages;
  readonly attempts: (last: Next) => Stage;
  readonly settle: Settle;
  readonly accounts: Pick<Accounts, 'sessions'>;
  readonly outbound: OutboundClient;
  readonly failures: FailureLog;
  readonly faults: Faults;
  readonly requestsInFlight: RequestsInFlight;
  readonly beforeCall: BeforeCall;
  readonly principals: Pick<Principals, 'resolveAgain'>;
  readonly documents: Documents;
  readonly settings: GatewaySettings;
}

export interface Realtime {
  readonly door: RealtimeDoor;
  close(): void;
}

/** Serves WebSockets below the data plane's paths. */
export function createRealtime(parts: RealtimeParts): Realtime {
  const { stages, attempts, settle, accounts, outbound, failures, requestsInFlight, beforeCall } = parts;
  const options = optionsOf(parts.settings);
  const rights = new SessionRights(parts.principals, parts.documents);
  const sessions = new Sessions(settle, accounts.sessions, rights, options);
  const pipeline = new Pipeline(
    {
      ...stages,
      receive: new QueryModelStage(),
      attempt: attempts(new HandshakeSender(outbound, options.maxMessageBytes, beforeCall)),
      session: new SessionStage(sessions),
    },
    failures,
    requestsInFlight,
    parts.faults,
  );
  return {
    door: new RealtimeDoor(pipeline, options.connectionsMax, () => sessions.lingeringCount),
    close: () => {
      sessions.close();
    },
  };
}

const optionsOf = (settings: GatewaySettings): SessionsOptions & { readonly connectionsMax: number } => ({
  maxMessageBytes: settings.REALTIME_MAX_MESSAGE,
  idleTimeoutMs: settings.REALTIME_IDLE_TIMEOUT,
  connectionsMax: settings.REALTIME_MAX_SESSIONS,
  lingerMs: settings.REALTIME_LINGER,
});
