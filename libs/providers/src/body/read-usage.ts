import type { Usage } from '@gw/contracts';
import { asString, parseObject } from '../dialects/json';
import type { Provider } from '../provider';
import { shallowScan } from './shallow-scan';
import { topLevelUsage } from './usage-object';

/** A body over this many bytes is scanned but never parsed whole, so that no answer holds the loop for long. */
const PARSE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Usage in the bytes of a complete JSON answer, without parsing the whole where the top-level `usage` can be found from the
 * end. Null when the answer names none, is no JSON object, or would have to be parsed and is larger than 4 MiB.
 */
export function readUsage(provider: Pick<Provider, 'usage'>, body: Buffer): Usage | null {
  const usage = topLevelUsage(body);
  if (usage !== null) {
    const read = provider.usage({ usage });
    if (read !== null) return read;
  }
  const whole = parseWhole(body);
  return whole === null ? null : provider.usage(whole);
}

/** The `model` that a complete JSON answer names at its top level, or null. */
export function readAnswerModel(body: Buffer): string | null {
  const scan = shallowScan(body);
  return scan.needsParse ? asString(parseWhole(body)?.['model']) : scan.model;
}

const parseWhole = (body: Buffer): ReturnType<typeof parseObject> =>
  body.length > PARSE_BYTES_MAX ? null : parseObject(body.toString('utf8'));
