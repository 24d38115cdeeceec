import { GatewayError } from '@gw/kernel';
import { demandsOf } from '@gw/routing';
import { parseJsonObject } from '../bodies/json-body';
import type { RequestContext } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import type { TargetPricer } from '../usage/use';

/** Minimum bytes of a body to check; shorter bodies fit into the context window of every model. */
const BYTES_MIN = 32_768;
/**
 * More characters than a token has on average in any text, so that only requests that cannot fit
 * are refused.
 */
const CHARACTERS_PER_TOKEN_MAX = 8;
/**
 * Factor between the tokens that `demandsOf` counts, one for four characters, and the minimum
 * number of tokens.
 */
const ESTIMATE_RATIO = CHARACTERS_PER_TOKEN_MAX / 4;

/**
 * Refuses a target whose model has too small a context window for the request, without a call, when
 * the config has other targets. When the config has one target, its provider decides. Throws
 * `unsupported_by_provider`.
 */
export function refuseTooLong(
  context: RequestContext,
  upstream: Upstream,
  windows: Pick<TargetPricer, 'contextTokens'>,
): void {
  const { body, config, scan } = context;
  if (body.length < BYTES_MIN || config === null || config.targets.length === 1) return;
  const { model } = upstream;
  const window = model === null ? null : windows.contextTokens(upstream, model);
  if (window === null || body.length < window * CHARACTERS_PER_TOKEN_MAX) return;
  if (scan === null || scan.isForm === true) return;
  const tokens = Math.floor(demandsOf(context.json(parseJsonObject)).tokens / ESTIMATE_RATIO);
  if (tokens <= window) return;
  throw new GatewayError('unsupported_by_provider', {
    message: `The request has at least ${String(tokens)} tokens, and the model takes ${String(window)}; shorten it, or use a model with a larger context window.`,
    param: 'model',
    extra: { provider: upstream.provider.id, model },
  });
}
