import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { Stream } from 'openai/streaming';

export interface AccumulatedStream {
  /** The response that the accumulator of the official SDK built. */
  readonly response: Record<string, unknown>;
  readonly events: readonly ResponseStreamEvent[];
}

/**
 * Reads the text of an event stream with the official SDK. Rejects when its accumulator does, which
 * is strict about the order of events, and about indexes.
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
 * The response before its last event, which would replace what the accumulator built from the
 * others.
 */
export async function accumulatedBeforeLast(text: string): Promise<Record<string, unknown>> {
  const events = text.split('\n\n').filter((event) => event !== '');
  return (await accumulated(`${events.slice(0, -1).join('\n\n')}\n\n`)).response;
}
