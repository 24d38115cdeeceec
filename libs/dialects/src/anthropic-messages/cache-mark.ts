import type { CacheMark, JsonObject } from '../call';
import { invalid } from '../losses';
import { read } from '../values/json';

/** Reads `cache_control`; `{}` when there is no mark. */
export function decodeCacheMark(holder: JsonObject, path: string): { cache?: CacheMark } {
  const at = `${path}cache_control`;
  const control = read.object(holder['cache_control'], at);
  if (control === undefined) return {};
  const { type, ttl } = control;
  if (type !== 'ephemeral') throw invalid(`${at}.type`, `${at}.type must be ephemeral.`);
  if (ttl === undefined || ttl === null) return { cache: {} };
  if (ttl !== '5m' && ttl !== '1h') throw invalid(`${at}.ttl`, `${at}.ttl must be 5m or 1h.`);
  return { cache: { ttl } };
}
