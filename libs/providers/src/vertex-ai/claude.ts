import type { RouteKind } from '@gw/contracts';
import type { JsonObject, RouteSupport } from '../provider';
import { translatedRoutes } from '../translation/translated-routes';
import {
  withWrapper,
  isStreamed,
  modelIn,
  PlainStream,
  wrappedMessages,
  type Wrap,
} from '../translation/wrapped-messages';

/** Version of Anthropic's API on Vertex AI; it is in the body instead of a header. */
const VERSION = 'vertex-2023-10-16';
const MODELS = '/publishers/anthropic/models';
const NO_LOSSES = { losses: [], more: 0 };
const PUBLISHER = /^(?:publishers\/anthropic\/models\/|anthropic[./])/;

/** Whether a model is one of Anthropic. */
export const isClaude = (model: string): boolean => PUBLISHER.test(model) || model.startsWith('claude-');

const withoutModel = ({ model: _model, ...body }: JsonObject): JsonObject => ({
  anthropic_version: VERSION,
  ...body,
});

const wrap: Wrap = (body) => {
  const name = encodeURIComponent(modelIn(body).replace(PUBLISHER, ''));
  const method = isStreamed(body) ? 'streamRawPredict' : 'rawPredict';
  return { path: `${MODELS}/${name}:${method}`, body: withoutModel(body), losses: NO_LOSSES };
};

/** Calls that count tokens name the model in the body. */
const wrapCount: Wrap = (body) => ({
  path: `${MODELS}/count-tokens:rawPredict`,
  body: { anthropic_version: VERSION, ...body, model: modelIn(body).replace(PUBLISHER, '') },
  losses: NO_LOSSES,
});

const COUNTS: ReadonlySet<RouteKind> = new Set(['messages.count_tokens', 'gemini.count']);

/** Routes of all clients to Claude on Vertex AI. */
export function claudeRoutes(provider: string): Readonly<Partial<Record<RouteKind, RouteSupport>>> {
  const translated = Object.entries(translatedRoutes({ provider, to: 'anthropic-messages' })) as [
    RouteKind,
    RouteSupport,
  ][];
  const plain = () => new PlainStream();
  return {
    ...Object.fromEntries(
      translated.map(([kind, support]) => [kind, withWrapper(support, COUNTS.has(kind) ? wrapCount : wrap)]),
    ),
    messages: wrappedMessages('vertex-anthropic', wrap, plain),
    'messages.count_tokens': wrappedMessages('vertex-anthropic', wrapCount, plain),
    passthrough: { via: 'native', prefix: '' },
  };
}
