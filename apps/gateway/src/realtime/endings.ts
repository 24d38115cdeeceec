import type { SessionRecord } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import type { SessionVerdict } from '../limits/session-accounts';
import type { RequestReply } from '../reply/request-reply';
import type { Closing } from './peer';

const NO_CLOSE_FRAME = 1006;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

interface CloseFrame {
  readonly code: number;
  readonly reason: string | Buffer;
}

/** How a session ends, and what both sides receive. */
export interface Ending {
  readonly by: SessionRecord['closedBy'];
  /** Close code for the record; absent: the code that the client receives. */
  readonly code?: number;
  /** Effect on the request's outcome, in addition to `failure`; null: none. */
  readonly fact: 'client_left' | 'cut' | 'denied' | 'provider_error' | null;
  readonly failure?: GatewayError;
  readonly toClient: CloseFrame;
  readonly toProvider: CloseFrame;
  /** A message that the client receives before its close frame. */
  readonly last?: Buffer;
  /**
   * Set when the client has ended the session, so that the gateway still waits for the response in
   * progress.
   */
  readonly mayLinger?: true;
}

/** Reports the ending to the request's reply. */
export function reportEnding(reply: RequestReply, { fact, failure }: Ending): void {
  if (failure !== undefined) reply.fail(failure);
  if (fact === 'client_left') reply.clientLeft();
  else if (fact === 'cut') reply.cut(failure ?? null);
  else if (fact === 'denied') reply.deny();
  else if (fact === 'provider_error') reply.providerFailed();
}

/** The frame for a side whose connection has already ended; it is not sent. */
const NO_FRAME: CloseFrame = { code: NO_CLOSE_FRAME, reason: '' };
/** Close codes of a provider after a successful session. 1005: a close frame without a code. */
const REGULAR_CODES: ReadonlySet<number> = new Set([1000, GOING_AWAY, 1005]);
const SESSION_ENDED: CloseFrame = { code: GOING_AWAY, reason: 'The session has ended.' };

export type Refusal = Exclude<SessionVerdict, 'ok'>;

const REFUSALS: Readonly<Record<Refusal, string>> = {
  limit: 'A limit of this session was reached.',
  unpriced: 'A strict budget of this session requires a price, and a part has none.',
};

export const clientGone: Ending = {
  by: 'client',
  fact: 'client_left',
  toClient: NO_FRAME,
  toProvider: { code: GOING_AWAY, reason: 'The client has disconnected.' },
  mayLinger: true,
};

export const providerGone = (): Ending => ({
  by: 'provider',
  code: NO_CLOSE_FRAME,
  fact: 'cut',
  failure: new GatewayError('stream_interrupted'),
  toClient: { code: INTERNAL_ERROR, reason: 'The connection to the provider broke.' },
  toProvider: NO_FRAME,
});

/** Returns the ending of a session that the gateway stops. */
export function stopped(reason: string, failure?: GatewayError): Ending {
  const frame = { code: GOING_AWAY, reason };
  const ending = { by: 'gateway', fact: 'cut', toClient: frame, toProvider: frame } as const;
  return failure === undefined ? ending : { ...ending, failure };
}

/** Returns the ending of a session in whose code an exception occurred. */
export const failed = (failure: GatewayError): Ending => ({
  by: 'gateway',
  fact: 'cut',
  failure,
  toClient: { code: INTERNAL_ERROR, reason: failure.message },
  toProvider: SESSION_ENDED,
});

export const refused = (why: Refusal): Ending => ({
  by: 'gateway',
  fact: 'denied',
  toClient: { code: POLICY_VIOLATION, reason: REFUSALS[why] },
  toProvider: SESSION_ENDED,
});

/**
 * Returns the ending of a denied session. `last` is the event that reports the reason to the
 * client.
 */
export const denied = (failure: GatewayError, reason: string, last: Buffer): Ending => ({
  by: 'gateway',
  fact: null,
  failure,
  toClient: { code: POLICY_VIOLATION, reason },
  toProvider: SESSION_ENDED,
  last,
});

export function closedByClient({ code, reason, isFault }: Closing): Ending {
  const toClient = { code, reason };
  if (!isFault) return { by: 'client', fact: null, toClient, toProvider: toClient, mayLinger: true };
  const toProvider = { code: GOING_AWAY, reason: 'The client violated the protocol.' };
  return { by: 'gateway', fact: 'denied', toClient, toProvider, mayLinger: true };
}

export function closedByProvider({ code, reason, isFault }: Closing): Ending {
  const toProvider = { code, reason };
  if (isFault) {
    const failure = new GatewayError('stream_interrupted');
    const toClient = { code: INTERNAL_ERROR, reason: 'The provider violated the protocol.' };
    return { by: 'gateway', fact: 'cut', failure, toClient, toProvider };
  }
  const fact = REGULAR_CODES.has(code) ? null : 'provider_error';
  return { by: 'provider', fact, toClient: toProvider, toProvider };
}
