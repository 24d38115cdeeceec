import type { InputRequests, JsonObject } from '@gw/mcp';
import {
  parsedResult,
  UpstreamError,
  type CallNotice,
  type UpstreamErrorFacts,
  type UpstreamErrorKind,
} from '@gw/mcp-client';
import type { CallOutcome, ParkedPlace } from '../upstream-call';

/** The outcome of a call in the format that gateways send to each other. */
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

/**
 * An event from the gateway that holds a call. The last event is `refused`, `outcome` or `failed`.
 */
export type HolderEvent =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly why: 'answered' | 'gone' }
  | { readonly kind: 'message'; readonly message: CallNotice }
  | { readonly kind: 'alive' }
  | { readonly kind: 'outcome'; readonly outcome: SentOutcome }
  | { readonly kind: 'failed'; readonly failure: SentFailure };

/** An event from the gateway that reads a call. */
export type ReaderEvent = 'alive' | 'cancel';

/**
 * Milliseconds between two heartbeats of both gateways; in `SILENCE_MS_MAX`, milliseconds without
 * one after which a gateway gives up.
 */
export const HEARTBEAT_EVERY_MS = 2_000;
export const SILENCE_MS_MAX = 15_000;

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

/**
 * Converts an error to the form that gateways send. An error other than an `UpstreamError` is an
 * internal one; its details stay in the log of the gateway where it occurred.
 */
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
