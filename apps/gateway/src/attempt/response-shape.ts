import type { TranslationContext } from '@gw/providers';
import type { Upstream } from '../core/upstream';
import type { RequestView, RequestContext } from '../core/request-context';

/** Whether a client is shown only what the OpenAI API has: the request's header wins, then the target's setting. */
export const isStrict = ({ gw }: Pick<RequestView, 'gw'>, { target }: Pick<Upstream, 'target'>): boolean =>
  gw.strictOpenAi ?? target.strictOpenAiCompliance ?? true;

/** What a translator is given with an answer, wherever one is translated. */
export const translationContext = (
  context: Pick<RequestContext, 'id' | 'startedWallMs' | 'gw'>,
  upstream: Upstream,
): TranslationContext => ({
  requestId: context.id,
  createdAt: Math.floor(context.startedWallMs / 1_000),
  request: upstream.clientBody ?? {},
  provider: upstream.provider.id,
  strict: isStrict(context, upstream),
});
