import type { OutboundClient } from '../outbound-client';
import type { OutboundCall, OutboundError, OutboundRequest } from '../types';
import { DecodedBody, type StreamedBody } from './decoded-body';
import { codingOf } from './decoding';
import type { ResponseMemory } from './held-memory';
import { ResponseBody, type TooLarge } from './response-body';
import { ResponseHeaders } from './response-headers';

/** A response whose body is read as it arrives. The reader must read or discard the body. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: StreamedBody;
  /** False: the body has a content coding and was not decoded. */
  readonly isPlain: boolean;
}

/** Bounds and errors of decoding bodies with a content coding. */
export interface DecodedBounds {
  /** Decoded bytes of a body that is read in chunks. */
  readonly bytesMax: number;
  /** Creates the error for bytes that are not in their content coding. */
  readonly undecodable: () => Error;
}

/** The abort signal and the memory of a call. */
export interface CallEnder {
  /** The reason for which the call was aborted; null while it is not aborted. */
  readonly aborted: Error | null;
  /** Counts the bytes of responses that wait for their reader; null: they are not counted. */
  readonly memory: ResponseMemory | null;
  /** Calls a listener once when the call is aborted; immediately when it already is. */
  onAbort(listener: () => void): void;
  offAbort(listener: () => void): void;
  /** Called when the server sends something: the head of the response, or a piece of its body. */
  touch(): void;
}

export interface ResponseErrors {
  readonly errorOf: (error: OutboundError) => Error;
  readonly tooLarge: TooLarge;
  /** Creates the error for a response for which `memory` has no room. */
  readonly noMemory: () => Error;
  /** Absent: bodies are returned without decoding. */
  readonly decoding?: DecodedBounds;
}

export type { StreamedBody };

/**
 * Resolves with the head of a response of any status. Rejects with the error of `errorOf`, or with
 * the reason of an abort.
 */
export const openResponse = (
  client: Pick<OutboundClient, 'dispatch'>,
  request: OutboundRequest,
  ender: CallEnder,
  errors: ResponseErrors,
): Promise<StreamedResponse> =>
  new Promise((resolve, reject) => {
    const { errorOf, tooLarge, noMemory } = errors;
    let hasHead = false;
    // `call` is assigned before it is read, because the client calls the handler only after
    // `dispatch` has returned.
    const body = new ResponseBody(() => call, tooLarge, ender.memory);
    const fail = (error: Error): void => {
      ender.offAbort(onAbort);
      if (hasHead) body.finish(error);
      else reject(error);
    };
    const onAbort = (): void => {
      if (ender.aborted !== null) fail(ender.aborted);
      call.abort();
    };
    const call: OutboundCall = client.dispatch(request, {
      onHeaders: (status, raw) => {
        ender.touch();
        hasHead = true;
        const headers = new ResponseHeaders(raw);
        const encoding = headers.get('content-encoding');
        resolve(
          encoding === undefined || PLAIN.has(encoding)
            ? { status, headers, body, isPlain: true }
            : decoded({ status, headers, body }, encoding, ender.memory, errors),
        );
      },
      onData: (chunk) => {
        ender.touch();
        if (body.push(chunk)) return;
        fail(noMemory());
        call.abort();
      },
      onEnd: () => {
        ender.offAbort(onAbort);
        body.finish(null);
      },
      onError: (error) => fail(errorOf(error)),
    });
    ender.onAbort(onAbort);
  });

/** Values of `content-encoding` that mean no coding. */
const PLAIN: ReadonlySet<string> = new Set(['', 'identity']);

function decoded(
  response: Pick<StreamedResponse, 'status' | 'headers'> & { readonly body: ResponseBody },
  encoding: string,
  memory: ResponseMemory | null,
  { decoding, tooLarge, noMemory }: ResponseErrors,
): StreamedResponse {
  const coding = codingOf(encoding);
  if (coding === null || decoding === undefined) return { ...response, isPlain: false };
  const body = new DecodedBody(response.body, { coding, memory, tooLarge, noMemory, ...decoding });
  return { ...response, body, isPlain: true };
}

/** Creates an ender that aborts a call with the reason of a signal. */
export const endedBy = (signal: AbortSignal, memory: ResponseMemory | null = null): CallEnder => ({
  memory,
  get aborted() {
    return signal.aborted ? (signal.reason as Error) : null;
  },
  onAbort: (listener) => {
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  },
  offAbort: (listener) => signal.removeEventListener('abort', listener),
  touch: () => undefined,
});
