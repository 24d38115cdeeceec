import type { TranslationContext } from '@gw/providers';
import { callAddress } from './call-address';
import type { Upstream } from '../core/upstream';
import type { RequestView, RequestContext } from '../core/request-context';

/**
 * Whether the client sees only members of the OpenAI API: the request's header takes precedence
 * over the target's setting.
 */
export const isStrict = ({ gw }: Pick<RequestView, 'gw'>, { target }: Pick<Upstream, 'target'>): boolean =>
  gw.strictOpenAi ?? target.strictOpenAiCompliance ?? true;

/** The context that a translator needs to translate a response. */
export const translationContext = (
  context: Pick<RequestContext, 'id' | 'startedWallMs' | 'gw' | 'route'>,
  upstream: Upstream,
): TranslationContext => ({
  requestId: context.id,
  createdAt: Math.floor(context.startedWallMs / 1_000),
  request: upstream.clientBody ?? {},
  ...(context.route.address === null ? {} : { address: callAddress(context.route.address, upstream) }),
  provider: upstream.provider.id,
  strict: isStrict(context, upstream),
});
