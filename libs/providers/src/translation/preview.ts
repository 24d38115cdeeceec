import { ROUTE_FAMILIES, ROUTE_KINDS, type RouteFamily, type RouteKind } from '@gw/contracts';
import type { CallAddress } from '@gw/dialects';
import { GatewayError, type Loss, type LossMode } from '@gw/kernel';
import type { JsonObject, Provider, ProviderCallFacts } from '../provider';

/** A call as a client would make it. */
export interface PreviewedCall extends ProviderCallFacts {
  /** Without a query: `/v1/chat/completions`. */
  readonly path: string;
  /** The client's body after parameter rules. */
  readonly body: JsonObject;
  readonly loss: LossMode;
}

/** Preview of the translation of a call. */
export interface TranslationPreview {
  /** The two dialects; null when the provider takes the call as it is. */
  readonly translation: string | null;
  readonly losses: readonly Loss[];
  /** Losses beyond the first 100. */
  readonly more: number;
  /** Why the gateway would refuse the call; null when it would not. */
  readonly refused: GatewayError | null;
}

const NATIVE: TranslationPreview = { translation: null, losses: [], more: 0, refused: null };
const GEMINI_CALL = /^\/v1beta1?\/(?:.*\/)?models\/([^/]+):(generateContent|streamGenerateContent)$/;

const KINDS: ReadonlyMap<string, RouteKind> = new Map(
  ROUTE_KINDS.flatMap((kind) => {
    const { pathEnd }: RouteFamily = ROUTE_FAMILIES[kind];
    return pathEnd === undefined ? [] : [[`/v1${pathEnd}`, kind] as const];
  }),
);

function routeOf(path: string): { readonly kind: RouteKind; readonly address?: CallAddress } | null {
  const kind = KINDS.get(path);
  if (kind !== undefined) return { kind };
  const [, model, method] = GEMINI_CALL.exec(path) ?? [];
  if (model === undefined) return null;
  return { kind: 'gemini.generate', address: { model, stream: method === 'streamGenerateContent' } };
}

/**
 * Returns how a provider would take a call, without calling it; null for a path that calls no
 * model.
 */
export function previewTranslation(provider: Provider, call: PreviewedCall): TranslationPreview | null {
  const route = routeOf(call.path);
  if (route === null) return null;
  const serving = provider.forCall?.(call) ?? provider;
  const variant = serving.variants?.[route.kind];
  const isVariant = variant !== undefined && (variant.atCustomHost || call.customHost === null);
  const support = (isVariant ? variant.provider : serving).routes[route.kind];
  if (support === undefined) {
    const message = `The provider ${provider.id} does not serve ${route.kind}.`;
    return { ...NATIVE, refused: new GatewayError('route_unsupported', { message }) };
  }
  if (support.via === 'native') return NATIVE;
  const { name: translation, translator } = support;
  try {
    const { losses } = translator.request(call.body, call.loss, route.address);
    return { translation, losses: losses.losses, more: losses.more, refused: null };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { ...NATIVE, translation, refused: thrown };
  }
}
