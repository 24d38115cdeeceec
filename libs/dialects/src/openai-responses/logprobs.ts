import type { JsonObject } from '../call';
import type { Logprob } from '../response';
import { asArray, asNumber, asString, objectsOf } from '../values/json';

function decodeBytes(value: unknown): readonly number[] | null | undefined {
  const bytes = asArray(value);
  return bytes === null ? undefined : bytes.filter((byte): byte is number => typeof byte === 'number');
}

function decodeLogprob(item: JsonObject): Logprob {
  const bytes = decodeBytes(item['bytes']);
  return {
    token: asString(item['token']) ?? '',
    logprob: asNumber(item['logprob']) ?? 0,
    ...(bytes === undefined ? {} : { bytes }),
  };
}

export const decodeLogprobs = (value: unknown): Logprob[] =>
  objectsOf(value).map((item) => ({
    ...decodeLogprob(item),
    top: objectsOf(item['top_logprobs']).map(decodeLogprob),
  }));

const encodeLogprob = ({ token, logprob, bytes }: Logprob): JsonObject => ({
  token,
  logprob,
  bytes: bytes ?? [...Buffer.from(token)],
});

export const encodeLogprobs = (items: readonly Logprob[]): JsonObject[] =>
  items.map((item) => ({ ...encodeLogprob(item), top_logprobs: (item.top ?? []).map(encodeLogprob) }));
