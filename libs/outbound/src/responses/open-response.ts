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
  /** False: the body has a content coding, and is as the server sent it. */
  readonly isPlain: boolean;
}

/** How bodies with a content coding are decoded. */
export interface DecodedBounds {
  /** Decoded bytes of a body that is read in chunks. */
  readonly bytesMax: number;
  /** The error of bytes that do not have their coding. */
  readonly undecodable: () => Error;
}

/** Signal and memory by which a call is ended early. */
export interface CallEnder {
  /** Why the call was aborted; null while it was not. */
  readonly aborted: Error | null;
  /** Counts the bytes of responses that wait for their reader; null: they are not counted. */
  readonly memory: ResponseMemory | null;
  /** Calls a listener once when the call is aborted; at once when it was. */
  onAbort(listener: () => void): void;
  offAbort(listener: () => void): void;
  /** A sign of life of the server: the head of the response, or a piece of its body. */
  touch(): void;
}

export interface ResponseErrors {
  readonly errorOf: (error: OutboundError) => Error;
  readonly tooLarge: TooLarge;
  /** The error of a response for which `memory` has no room. */
  readonly noMemory: () => Error;
  /** Absent: bodies are passed on as they are. */
  readonly decoding?: DecodedBounds;
}

export type { StreamedBody };

/** Resolves with the head of a response of any status. Rejects with what `errorOf` makes, or why the call was aborted. */
export const openResponse = (
  client: Pick<OutboundClient, 'dispatch'>,
  request: OutboundRequest,
  ender: CallEnder,
  errors: ResponseErrors,
): Promise<StreamedResponse> =>
  new Promise((resolve, reject) => {
    const { errorOf, tooLarge, noMemory } = errors;
    let hasHead = false;
    // Reads `call` late, since the client calls the handler only after it has returned.
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

/** Names of no coding. */
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

/** Ends a call when a signal aborts; its reason is the error. */
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
