import type { OutboundClient } from '../outbound-client';
import type { OutboundCall, OutboundError, OutboundRequest } from '../types';
import { ResponseBody, type TooLarge } from './response-body';

/** A response whose body is read as it arrives. The reader must read or discard the body. */
export interface StreamedResponse {
  readonly status: number;
  /** By lower-case name; the first value of a repeated header. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: ResponseBody;
}

export interface OpenResponseOptions {
  /** Aborts the call; its reason is the error. */
  readonly signal: AbortSignal;
  /** Called for the head and for each piece of the body. */
  readonly onActivity?: () => void;
  readonly errorOf: (error: OutboundError) => Error;
  readonly tooLarge: TooLarge;
}

/** Resolves with the head of a response of any status. Rejects with what `errorOf` makes, or the reason of the signal. */
export const openResponse = (
  client: Pick<OutboundClient, 'dispatch'>,
  request: OutboundRequest,
  { signal, onActivity, errorOf, tooLarge }: OpenResponseOptions,
): Promise<StreamedResponse> =>
  new Promise((resolve, reject) => {
    let hasHead = false;
    // Reads `call` late, since the client calls the handler only after it has returned.
    const body = new ResponseBody(() => call, tooLarge);
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      if (hasHead) body.finish(error);
      else reject(error);
    };
    const onAbort = (): void => {
      fail(signal.reason as Error);
      call.abort();
    };
    const call: OutboundCall = client.dispatch(request, {
      onHeaders: (status, raw) => {
        onActivity?.();
        hasHead = true;
        resolve({ status, headers: fieldsOf(raw), body });
      },
      onData: (chunk) => {
        onActivity?.();
        body.push(chunk);
      },
      onEnd: () => {
        signal.removeEventListener('abort', onAbort);
        body.finish(null);
      },
      onError: (error) => fail(errorOf(error)),
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });

function fieldsOf(raw: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!fields.has(name)) fields.set(name, raw[at + 1] as string);
  }
  return fields;
}
