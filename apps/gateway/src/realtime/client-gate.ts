import { GatewayError } from '@gw/kernel';
import type { SessionAccounts } from '../limits/session-accounts';
import type { Exchange } from '../pipeline/exchange';
import { denied, refused, type Ending } from './endings';
import { errorMessage } from './guard/realtime-events';
import type { SessionMeter } from './metering/session-meter';
import { readClientEvent } from './metering/socket-events';

/** What each message of a client must pass before its provider gets it: a message may ask for an answer as a request does. */
export class ClientGate {
  constructor(
    private readonly exchange: Exchange,
    private readonly meter: SessionMeter,
    private readonly accounts: Pick<SessionAccounts, 'verdict'>,
    /** Throws for a model that is not enabled; null: the message may name any. */
    private readonly checkModel: (model: string | null) => void,
  ) {}

  /** How the session ends instead; null: the message may be sent. */
  judge(message: Buffer, isBinary: boolean): Ending | null {
    const event = readClientEvent(message, isBinary);
    try {
      for (const model of event.models ?? [null]) this.checkModel(model);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      const last = errorMessage(thrown, this.exchange.id, null);
      return denied(thrown, 'A message names a model that is not enabled.', last);
    }
    const verdict = event.asks ? this.accounts.verdict(this.exchange) : 'ok';
    if (verdict !== 'ok') return refused(verdict);
    this.meter.fromClient(message.length, event);
    return null;
  }
}
