import { GatewayError } from '@gw/kernel';
import type { SessionAccounts } from '../limits/session-accounts';
import type { RequestContext } from '../core/request-context';
import { denied, refused, type Ending } from './endings';
import { errorMessage } from '../guardrails/sessions/realtime-events';
import type { SessionMeter } from './metering/session-meter';
import { readClientEvent } from './metering/socket-events';

/**
 * Checks each message of a client before the provider receives it, because a message may request a
 * response, like an HTTP request.
 */
export class ClientGate {
  constructor(
    private readonly context: RequestContext,
    private readonly meter: SessionMeter,
    private readonly accounts: Pick<SessionAccounts, 'verdict'>,
    /** Throws if the model is not enabled. `model` is null when the message may name any model. */
    private readonly checkModel: (model: string | null) => void,
  ) {}

  /**
   * Checks a message. Returns the ending of the session if it must not be sent; null when it may be
   * sent.
   */
  judge(message: Buffer, isBinary: boolean): Ending | null {
    const event = readClientEvent(message, isBinary);
    if (event.isAmbiguous) return this.deny(AMBIGUOUS, 'A message has a duplicate member name.');
    try {
      for (const model of event.models ?? [null]) this.checkModel(model);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      return this.deny(thrown, 'A message names a model that is not enabled.');
    }
    const verdict = event.requestsResponse ? this.accounts.verdict(this.context) : 'ok';
    if (verdict !== 'ok') return refused(verdict);
    this.meter.fromClient(message.length, event);
    return null;
  }

  private deny(failure: GatewayError, reason: string): Ending {
    return denied(failure, reason, errorMessage(failure, this.context.id, null));
  }
}

const AMBIGUOUS = new GatewayError('body_invalid', {
  message: 'The message has a duplicate member name in one object; send each name once.',
});
