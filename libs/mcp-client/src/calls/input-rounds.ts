import { InputRounds, type InputRequest, type JsonObject } from '@gw/mcp';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallClock } from '../http/call-clock';
import { parsedResult } from '../rpc/received-result';
import { UpstreamError } from '../upstream-error';
import type { CallEnd, CallEvent, InputHandling } from './call-event';
import { respond } from './upstream-requests';

type Result = Extract<CallEvent, { readonly kind: 'result' }>;

/**
 * Runs a call with the rounds that a modern upstream requests by `input_required`: the callback
 * responds to each request, and the call is repeated with the responses. Without a callback the
 * call fails; with `relay` the caller performs the rounds. `method`: only tools/call ends with a tool
 * error when the upstream breaks the rules for input; other methods fail.
 */
export async function withInput(
  round: (params: JsonObject) => Promise<Result>,
  { method, params }: { readonly method: string; readonly params: JsonObject },
  input: InputHandling | 'relay' | null,
  clock: CallClock,
): Promise<CallEnd> {
  const rounds = input === null || input === 'relay' ? null : new InputRounds(params, input.context);
  for (let sent = params, isFirst = true; ; isFirst = false) {
    const event = await (isFirst ? round(sent) : laterRound(round(sent)));
    if (event.result.type !== 'input_required') return event;
    if (input === 'relay') return { kind: 'input_required', result: event.result.value };
    if (rounds === null || input === null) throw refused();
    const next = rounds.next(event.result.value);
    if (next.kind === 'end') return toolEnd(method, next.result);
    const responses =
      next.kind === 'wait'
        ? await waited(next.afterMs, clock)
        : await responsesTo(next.requests, input, clock);
    sent = rounds.retry(responses) ?? fail(refused());
  }
}

/** Returns the end of a call with a tool error. Throws for a method that has none. */
function toolEnd(method: string, result: JsonObject): CallEnd {
  if (method !== 'tools/call') throw refused();
  return { kind: 'result', result: parsedResult(result, null) };
}

/**
 * Marks failures of later rounds as possibly executed, because the first round reached the tool.
 */
async function laterRound(ended: Promise<Result>): Promise<Result> {
  try {
    return await ended;
  } catch (error) {
    throw error instanceof UpstreamError ? error.withExecution(true) : error;
  }
}

async function waited(ms: number, clock: CallClock): Promise<ReadonlyMap<string, JsonObject>> {
  try {
    await delay(ms, undefined, { signal: clock.signal });
  } catch (cause) {
    throw clock.aborted ?? cause;
  }
  return new Map();
}

async function responsesTo(
  requests: ReadonlyMap<string, InputRequest>,
  input: InputHandling,
  clock: CallClock,
): Promise<ReadonlyMap<string, JsonObject>> {
  const ended = new AbortController();
  try {
    const responses = await Promise.all(
      [...requests].map(async ([key, request]) => {
        const response = await respond(input, request, clock, ended.signal).catch((cause: unknown) =>
          fail(refused(cause)),
        );
        if (clock.aborted !== null) throw clock.aborted;
        return [key, response ?? fail(refused())] as const;
      }),
    );
    return new Map(responses);
  } finally {
    ended.abort();
  }
}

function fail(error: UpstreamError): never {
  throw error;
}

const refused = (cause?: unknown): UpstreamError =>
  new UpstreamError('input_refused', 'The upstream requested input that was refused.', {
    mayHaveExecuted: true,
    ...(cause !== undefined && { cause }),
  });
