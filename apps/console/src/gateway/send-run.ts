import type { DecisionRecord } from '@gw/contracts';
import { createParser } from 'eventsource-parser';
import { Problem, problemFrom, problemOf } from '../api';
import { API_PATHS, readAnswer, type GatewayApi } from './answer-reader';
import { forgetGatewayKey, gatewayKey } from './gateway-key';
import { NEW_RUN, TEXT_MAX, type Run } from './run-state';

export interface RunRequest {
  readonly workspaceId: string;
  readonly api: GatewayApi;
  readonly body: Readonly<Record<string, unknown>>;
  /** Headers besides the key: `x-gw-provider`, `x-gw-config`, `x-gw-metadata`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Pieces of a stream are shown at most this often. */
const EMIT_MS = 100;

/**
 * Sends a request to the gateway and follows its answer. Calls `onChange` with each state, at most ten times a second while text
 * arrives. Never rejects: a failure is a state, and so is the end by `signal`.
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
  run: Run = NEW_RUN;
  private readonly began = performance.now();
  private emission: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly request: RunRequest,
    private readonly onChange: (run: Run) => void,
  ) {}

  async follow(signal: AbortSignal): Promise<void> {
    const response = await this.open(signal);
    this.change({
      httpStatus: response.status,
      requestId: response.headers.get('x-gw-request-id'),
      traceId: response.headers.get('x-gw-trace-id'),
      retries: Math.max(0, Number(response.headers.get('x-gw-retry-attempt-count')) || 0),
      decision: decisionOf(response.headers.get('x-gw-decision')),
    });
    if (!response.ok) throw problemOf(response, jsonOf(await response.text()));
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && response.body !== null) await this.read(response.body);
    else this.take(jsonOf(await response.text()));
    this.end({ status: 'done' });
  }

  end(change: Partial<Run>): void {
    this.change(change, true);
  }

  private async open(signal: AbortSignal): Promise<Response> {
    const { workspaceId, api, body, headers } = this.request;
    const { key, baseUrl } = await gatewayKey(workspaceId);
    signal.throwIfAborted();
    const response = await globalThis.fetch(
      new Request(`${baseUrl}${API_PATHS[api]}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'x-gw-api-key': key, 'x-gw-explain': '1' },
        body: JSON.stringify(body),
        credentials: 'omit',
        cache: 'no-store',
        // The key goes to no other address.
        redirect: 'error',
        signal,
      }),
    );
    if (response.status === 401) forgetGatewayKey(workspaceId);
    return response;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({
      onEvent: ({ data }) => {
        if (data !== '[DONE]') this.take(jsonOf(data));
      },
    });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
    }
  }

  private take(event: unknown): void {
    const { text, inputTokens, outputTokens, error } = readAnswer(this.request.api, event);
    const whole = this.run.text + text;
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
