import type { JsonObject, ToolCallPart } from '../call';
import type { ProviderContext } from '../codec';
import { NO_TOKENS, type Finish, type Logprob, type TokenUsage } from '../response';
import { readCount } from '../values/counts';
import { asArray, asNumber, asObject, asString, isAbsent, objectsOf } from '../values/json';
import { callIdOf } from '../values/tool-ids';

/** Returns `created_at` in Unix seconds; the gateway's time when it is not a valid time. */
export function createdOf(body: JsonObject, { createdAt }: ProviderContext): number {
  const time = Date.parse(asString(body['created_at']) ?? '');
  return Number.isNaN(time) ? createdAt : Math.floor(time / 1_000);
}

const REASONS: ReadonlyMap<string, Finish['reason']> = new Map<string, Finish['reason']>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['load', 'error'],
  ['unload', 'error'],
]);

/**
 * Reads `done_reason`. Calls in the response take precedence over any reason except the token
 * limit.
 */
export function readFinish(value: unknown, hasCalls: boolean): Finish {
  const raw = asString(value) ?? 'stop';
  const reason = REASONS.get(raw) ?? 'stop';
  return { reason: hasCalls && reason !== 'length' ? 'tool_calls' : reason, raw };
}

/** Reads the counts. Ollama does not count a cached prompt. Undefined when there are no counts. */
export function readUsage(body: JsonObject): TokenUsage | undefined {
  if (isAbsent(body['prompt_eval_count']) && isAbsent(body['eval_count'])) return undefined;
  const input = readCount(body['prompt_eval_count']);
  const output = readCount(body['eval_count']);
  return input === null || output === null ? undefined : { ...NO_TOKENS, input, output };
}

/**
 * Reads a tool call without its arguments. Older versions have no ids; the id of the response and
 * `index` make one.
 */
export function readToolCall(call: JsonObject, { requestId }: ProviderContext, index: number): ToolCallPart {
  const given = asString(call['id']) ?? '';
  return {
    kind: 'tool_call',
    id: callIdOf(given, requestId, 0, index),
    name: asString(asObject(call['function'])?.['name']) ?? '',
    args: '',
  };
}

/** Reads `logprobs`; null when there are none. */
export function readLogprobs(value: unknown): Logprob[] | null {
  const items = asArray(value);
  return items === null
    ? null
    : objectsOf(items).map((item) => ({
        ...readLogprob(item),
        top: objectsOf(item['top_logprobs']).map(readLogprob),
      }));
}

function readLogprob(item: JsonObject): Logprob {
  const bytes = asArray(item['bytes']);
  return {
    token: asString(item['token']) ?? '',
    logprob: asNumber(item['logprob']) ?? 0,
    ...(bytes === null ? {} : { bytes: bytes.filter((byte): byte is number => typeof byte === 'number') }),
  };
}
