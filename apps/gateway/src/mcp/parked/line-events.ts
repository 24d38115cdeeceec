import type { InputRequests, JsonObject } from '@gw/mcp';
import {
  parsedResult,
  UpstreamError,
  type CallNotice,
  type UpstreamErrorFacts,
  type UpstreamErrorKind,
} from '@gw/mcp-client';
import type { CallOutcome, ParkedPlace } from '../upstream-call';

/** Outcome of a call in the form that gateways send to each other. */
export type SentOutcome =
  | {
      readonly kind: 'result';
      readonly result: JsonObject;
      readonly numbers: readonly (readonly [number, string])[] | null;
      /** Absent from earlier versions of the gateway. */
      readonly bytes?: number;
    }
  | { readonly kind: 'input_required'; readonly result: JsonObject }
  | { readonly kind: 'parked'; readonly requests: InputRequests; readonly place: ParkedPlace | null };

/** An `UpstreamError` without its cause. */
export interface SentFailure extends Omit<UpstreamErrorFacts, 'cause'> {
  readonly kind: UpstreamErrorKind;
  readonly message: string;
}

/** Event from the gateway that holds a call. The last one is `refused`, `outcome` or `failed`. */
export type HolderEvent =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly why: 'answered' | 'gone' }
  | { readonly kind: 'message'; readonly message: CallNotice }
  | { readonly kind: 'alive' }
  | { readonly kind: 'outcome'; readonly outcome: SentOutcome }
  | { readonly kind: 'failed'; readonly failure: SentFailure };

/** Event from the gateway that reads a call. */
export type ReaderEvent = 'alive' | 'cancel';

/** Both sides of a line show that they live this often, and give up after so long without a sign. */
export const SIGN_EVERY_MS = 2_000;
export const SILENCE_MS = 15_000;

export function readOutcome(sent: SentOutcome): CallOutcome {
  switch (sent.kind) {
    case 'result':
      return {
        kind: 'result',
        result: parsedResult(sent.result, sent.numbers && new Map(sent.numbers), { bytes: sent.bytes ?? 0 }),
      };
    case 'input_required':
      return sent;
    case 'parked':
      return { kind: 'input', requests: sent.requests, until: new AbortController().signal };
  }
}

/** An error of another kind is one of the gateway, of which only the log there says more. */
export function sentFailure(error: unknown): SentFailure {
  if (!(error instanceof UpstreamError))
    return { kind: 'interrupted', message: 'The call was interrupted.', mayHaveExecuted: true };
  const { kind, message, mayHaveExecuted, status, rpc, body, challenge, phase } = error;
  const { supported, retryAfterMs, most } = error;
  return {
    ...{ kind, message, mayHaveExecuted, body, challenge, supported, retryAfterMs },
    ...(status !== null && { status }),
    ...(rpc !== null && { rpc }),
    ...(phase !== null && { phase }),
    ...(most !== null && { most }),
  };
}

export const readFailure = ({ kind, message, ...facts }: SentFailure): UpstreamError =>
  new UpstreamError(kind, message, facts);
