import type { DecisionRecord } from '@gw/contracts';
import { createParser } from 'eventsource-parser';
import { Problem, problemFrom, problemOf } from '../api';
import { errors } from '../messages';
import { isTextApi, readResponsePart } from './response-reader';
import { openCall, type RunRequest } from './open-call';
import { BODY_MAX, readBody } from './read-body';
import { NEW_RUN, TEXT_MAX, type HttpMessages, type Run } from './run-state';

/** Minimum time between two updates of a streamed response, in milliseconds. */
const EMIT_MS = 100;

/**
 * Sends a request to the gateway and follows its response. Calls `onChange` with each state, at
 * most ten times a second while text arrives. Never rejects: failures and the abort of `signal` are
 * reported as states.
 */
export async function sendRun(
  request: RunRequest,
  signal: AbortSignal,
  onChange: (run: Run) => void,
): Promise<Run> {
  const sending = new Sending(request, onChange);
  try {
    await sending.follow(signal);
  } catch (error) {
    sending.end(signal.aborted ? { status: 'stopped' } : { status: 'failed', problem: problemFrom(error) });
  }
  return sending.run;
}

class Sending {
  run: Run;
  private readonly began = performance.now();
  private emission: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly request: RunRequest,
    private readonly onChange: (run: Run) => void,
  ) {
    this.run = { ...NEW_RUN, api: request.api };
  }

  async follow(signal: AbortSignal): Promise<void> {
    const { httpMessages, response: opened } = await openCall(this.request, signal);
    this.change({ httpMessages });
    const response = await opened;
    this.change({
      httpStatus: response.status,
      requestId: response.headers.get('x-gw-request-id'),
      traceId: response.headers.get('x-gw-trace-id'),
      retries: Math.max(0, Number(response.headers.get('x-gw-retry-attempt-count')) || 0),
      decision: decisionOf(response.headers.get('x-gw-decision')),
    });
    this.receive({ receivedHeaders: response.headers });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (response.ok && isStream && response.body !== null) await this.read(response.body.getReader());
    else await this.readWhole(response);
    this.end({ status: 'done' });
  }

  end(change: Partial<Run>): void {
    this.change(change, true);
  }

  private async readWhole(response: Response): Promise<void> {
    const { text, isText, bytes, isCut } = await readBody(response);
    const received = isText && isTextApi(this.request.api) ? text.slice(0, TEXT_MAX) : text;
    this.receive({ received, isText, bytes, isCut: isCut || received.length < text.length });
    const value = isText ? jsonOf(text) : null;
    if (!response.ok) throw problemOf(response, value);
    this.take(value);
  }

  /** Follows a stream to its end, or cancels it after an event that reports an error. */
  private async read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      await this.readEvents(reader);
    } catch (error) {
      reader.cancel().catch(() => undefined);
      throw error;
    }
  }

  private async readEvents(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data !== '[DONE]') this.take(jsonOf(data));
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded')
          throw new Problem({ type: 'stream_failed', message: errors.eventTooLarge, status: 200 });
      },
      maxBufferSize: BODY_MAX,
    });
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        // An aborted run reports its abort, whatever ended the stream.
        const { httpStatus: status } = this.run;
        if (!(error instanceof TypeError)) throw error;
        throw new Problem({ type: 'network_failed', message: errors.gatewayCut, status: status ?? 0 });
      });
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      const { received = '', bytes = 0, isCut = false } = this.run.httpMessages ?? {};
      const all = isCut ? received : received + text;
      this.receive({
        received: all.slice(0, TEXT_MAX),
        bytes: bytes + value.length,
        isCut: isCut || all.length > TEXT_MAX,
      });
      parser.feed(text);
    }
  }

  private take(event: unknown): void {
    const { text, inputTokens, outputTokens, error } = readResponsePart(this.request.api, event);
    const whole = this.run.isCut ? this.run.text : this.run.text + text;
    this.change({
      status: 'streaming',
      text: whole.slice(0, TEXT_MAX),
      isCut: this.run.isCut || whole.length > TEXT_MAX,
      firstTokenMs: this.run.firstTokenMs ?? (text === '' ? null : this.elapsed()),
      inputTokens: inputTokens ?? this.run.inputTokens,
      outputTokens: outputTokens ?? this.run.outputTokens,
    });
    if (error !== null)
      throw new Problem({ type: 'stream_failed', message: error, status: this.run.httpStatus ?? 0 });
  }

  private receive(received: Partial<HttpMessages>): void {
    const { httpMessages } = this.run;
    if (httpMessages !== null) this.change({ httpMessages: { ...httpMessages, ...received } });
  }

  private elapsed(): number {
    return performance.now() - this.began;
  }

  private change(change: Partial<Run>, isEnd = false): void {
    this.run = { ...this.run, ...change, tookMs: this.elapsed() };
    if (isEnd) {
      if (this.emission !== null) clearTimeout(this.emission);
      this.onChange(this.run);
      return;
    }
    this.emission ??= setTimeout(() => {
      this.emission = null;
      this.onChange(this.run);
    }, EMIT_MS);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function decisionOf(text: string | null): Partial<DecisionRecord> | null {
  const value = text === null ? null : jsonOf(text);
  return typeof value === 'object' && value !== null ? value : null;
}
