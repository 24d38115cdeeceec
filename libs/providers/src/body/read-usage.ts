import type { Usage } from '@gw/contracts';
import { asString, parseObject } from '../dialects/json';
import type { JsonObject, Provider } from '../provider';
import { shallowAnswer } from './shallow-scan';

/** A body over this many bytes is scanned but never parsed whole, so that no answer holds the loop for long. */
const PARSE_BYTES_MAX = 4 * 1024 * 1024;

export interface AnswerFacts {
  readonly usage: Usage | null;
  /** The `model` that the answer names at its top level. */
  readonly model: string | null;
}

/**
 * Usage and model in the bytes of a complete JSON answer, without parsing the whole where both stand at the top level. Null when
 * the answer names none, is no JSON object, or would have to be parsed and is larger than 4 MiB.
 */
export function readAnswer(provider: Pick<Provider, 'usage'>, body: Buffer): AnswerFacts {
  const found = shallowAnswer(body);
  const own = found?.usage ? parseObject(found.usage.toString('utf8')) : null;
  const usage = own === null ? null : provider.usage({ usage: own });
  if (found !== null && usage !== null) return { usage, model: found.model };
  const whole = parseWhole(body);
  if (whole === null) return { usage, model: found?.model ?? null };
  return { usage: provider.usage(whole), model: asString(whole['model']) };
}

const MARKER = '"usage';

/**
 * Usage in the last bytes of a JSON answer that is too long to be kept. What follows the last key that begins with `usage` must
 * close exactly one object, so that it is the answer's own and not that of something inside it.
 */
export function readUsageAtEnd(provider: Pick<Provider, 'usage'>, end: Buffer): Usage | null {
  const at = end.lastIndexOf(MARKER);
  const rest = at < 0 ? null : parseObject(`{${end.toString('utf8', at)}`);
  return rest === null ? null : provider.usage(rest);
}

const parseWhole = (body: Buffer): JsonObject | null =>
  body.length > PARSE_BYTES_MAX ? null : parseObject(body.toString('utf8'));
