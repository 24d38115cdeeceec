import type { CompiledTarget } from '@gw/routing';
import type { JsonObject } from '@gw/providers';
import type { Upstream } from '../../core/upstream';
import type { RequestView } from '../../core/request-context';

const OPTIONS = 'stream_options';
const MARK = Buffer.from(`"${OPTIONS}"`);
const REQUESTED = Buffer.from(`"${OPTIONS}":{"include_usage":true}`);
const CLOSE_OBJECT = 0x7d;

/**
 * Adds a request for usage to the body when a provider reports the usage of a stream only on
 * request and the client did not set `stream_options`. Returns null when nothing needs to be added.
 * `HiddenUsage` removes the requested usage from the response. A config that drops `stream_options`
 * disables this, for hosts that do not support it.
 */
export function withUsageRequest(
  { route, scan }: RequestView,
  { provider, support, target }: Upstream,
  body: Buffer,
  parsed: JsonObject | null,
): Buffer | null {
  if (provider.usageOnRequest !== true || support?.via !== 'native') return null;
  if (route.kind !== 'chat.completions' && route.kind !== 'completions') return null;
  const streams = parsed === null ? scan?.stream === true : parsed['stream'] === true;
  if (!streams || body.includes(MARK) || dropsOptions(target)) return null;
  const end = body.lastIndexOf(CLOSE_OBJECT);
  return Buffer.concat([body.subarray(0, end), COMMA, REQUESTED, body.subarray(end)]);
}

const COMMA = Buffer.from(',');

const dropsOptions = ({ dropParams }: CompiledTarget): boolean =>
  dropParams.some(({ segments }) => segments[0] === OPTIONS);
