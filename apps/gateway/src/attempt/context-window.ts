import { GatewayError } from '@gw/kernel';
import { demandsOf } from '@gw/routing';
import { parseJsonObject } from '../bodies/json-body';
import type { RequestContext } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import type { TargetPricer } from '../usage/use';

/** Shorter bodies fit into every model. */
const BYTES_MIN = 32_768;
/** More characters than a token has on average in any text, so that only what cannot fit is refused. */
const CHARACTERS_OF_TOKEN = 8;
/** `demandsOf` counts four characters for each token. */
const ESTIMATE_OF_LEAST = CHARACTERS_OF_TOKEN / 4;

/**
 * Refuses a target whose model has too small a context window for the request, without a call, when
 * the config has other targets. A request with one target is left to its provider. Throws
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
  if (window === null || body.length < window * CHARACTERS_OF_TOKEN) return;
  if (scan === null || scan.isForm === true) return;
  const tokens = Math.floor(demandsOf(context.json(parseJsonObject)).tokens / ESTIMATE_OF_LEAST);
  if (tokens <= window) return;
  throw new GatewayError('unsupported_by_provider', {
    message: `The request has at least ${String(tokens)} tokens, and the model takes ${String(window)}; shorten it, or use a model with a larger context window.`,
    param: 'model',
    extra: { provider: upstream.provider.id, model },
  });
}
