import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { Stream } from 'openai/streaming';

export interface AccumulatedStream {
  /** The response that the accumulator of the official SDK built. */
  readonly response: Record<string, unknown>;
  readonly events: readonly ResponseStreamEvent[];
}

/**
 * Reads the text of an event stream with the official SDK. Rejects if its accumulator does, which
 * checks the order of events and indexes strictly.
 */
export async function accumulated(text: string): Promise<AccumulatedStream> {
  const read = (): Stream<ResponseStreamEvent> =>
    Stream.fromSSEResponse<ResponseStreamEvent>(new Response(text), new AbortController());
  const events: ResponseStreamEvent[] = [];
  for await (const event of read()) events.push(event);
  const response = await ResponseStream.fromReadableStream(read().toReadableStream()).finalResponse();
  return { response: response as unknown as Record<string, unknown>, events };
}

/**
 * Returns the response that the accumulator built before the last event, which would replace it.
 */
export async function accumulatedBeforeLast(text: string): Promise<Record<string, unknown>> {
  const events = text.split('\n\n').filter((event) => event !== '');
  return (await accumulated(`${events.slice(0, -1).join('\n\n')}\n\n`)).response;
}
