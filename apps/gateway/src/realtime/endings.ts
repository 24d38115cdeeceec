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
  /** What goes into the record; absent: the client's reason. */
  readonly code?: number;
  /** What it says of the request's outcome, next to `failure`; null: nothing. */
  readonly fact: 'client_left' | 'cut' | 'denied' | 'provider_error' | null;
  readonly failure?: GatewayError;
  readonly toClient: CloseFrame;
  readonly toProvider: CloseFrame;
  /** A message that the client gets before its close frame. */
  readonly last?: Buffer;
  /** The client has ended it: what the provider is making is waited for. */
  readonly isLeft?: true;
}

/** Reports how a session has ended. */
export function reportEnding(reply: RequestReply, { fact, failure }: Ending): void {
  if (failure !== undefined) reply.fail(failure);
  if (fact === 'client_left') reply.clientLeft();
  else if (fact === 'cut') reply.cut(failure ?? null);
  else if (fact === 'denied') reply.deny();
  else if (fact === 'provider_error') reply.providerFailed();
}

/** To a side whose connection has ended already: nothing is sent. */
const GONE: CloseFrame = { code: NO_CLOSE_FRAME, reason: '' };
/** Codes with which a provider ends a session that has gone well. 1005: a close frame without a code. */
const REGULAR: ReadonlySet<number> = new Set([1000, GOING_AWAY, 1005]);
const OVER: CloseFrame = { code: GOING_AWAY, reason: 'The session has ended.' };

export type Refusal = Exclude<SessionVerdict, 'ok'>;

const REFUSALS: Readonly<Record<Refusal, string>> = {
  limit: 'A limit of this session was reached.',
  unpriced: 'A strict budget of this session does not pay for what has no price.',
};

export const clientGone: Ending = {
  by: 'client',
  fact: 'client_left',
  toClient: GONE,
  toProvider: { code: GOING_AWAY, reason: 'The client is gone.' },
  isLeft: true,
};

export const providerGone = (): Ending => ({
  by: 'provider',
  code: NO_CLOSE_FRAME,
  fact: 'cut',
  failure: new GatewayError('stream_interrupted'),
  toClient: { code: INTERNAL_ERROR, reason: 'The connection to the provider broke.' },
  toProvider: GONE,
});

/** From our side. */
export function stopped(reason: string, failure?: GatewayError): Ending {
  const frame = { code: GOING_AWAY, reason };
  const ending = { by: 'gateway', fact: 'cut', toClient: frame, toProvider: frame } as const;
  return failure === undefined ? ending : { ...ending, failure };
}

export const refused = (why: Refusal): Ending => ({
  by: 'gateway',
  fact: 'denied',
  toClient: { code: POLICY_VIOLATION, reason: REFUSALS[why] },
  toProvider: OVER,
});

/** `last`: the event that says why. */
export const denied = (failure: GatewayError, reason: string, last: Buffer): Ending => ({
  by: 'gateway',
  fact: null,
  failure,
  toClient: { code: POLICY_VIOLATION, reason },
  toProvider: OVER,
  last,
});

export function closedByClient({ code, reason, isFault }: Closing): Ending {
  const toClient = { code, reason };
  if (!isFault) return { by: 'client', fact: null, toClient, toProvider: toClient, isLeft: true };
  const toProvider = { code: GOING_AWAY, reason: 'The client broke the protocol.' };
  return { by: 'gateway', fact: 'denied', toClient, toProvider, isLeft: true };
}

export function closedByProvider({ code, reason, isFault }: Closing): Ending {
  const toProvider = { code, reason };
  if (isFault) {
    const failure = new GatewayError('stream_interrupted');
    const toClient = { code: INTERNAL_ERROR, reason: 'The provider broke the protocol.' };
    return { by: 'gateway', fact: 'cut', failure, toClient, toProvider };
  }
  const fact = REGULAR.has(code) ? null : 'provider_error';
  return { by: 'provider', fact, toClient: toProvider, toProvider };
}
