import type { JsonObject, ModelCall, ServiceTier } from '../call';
import { pathOf } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { generationConfig } from './encode-config';
import { encodeTools } from './encode-tools';
import { encodeTurns } from './encode-turns';
import { recordLosses } from './hints';
import { nestedMembers } from './members';

/** Encodes a `GenerateContentRequest` and its path. */
export function encodeCall(call: ModelCall, target: Target, losses: LossLedger): ProviderCall {
  const method = call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  return { path: modelPath(target, method), body: encodeBody(call, target, losses) };
}

export function encodeBody(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  recordLosses(call, losses);
  const own = nestedMembers(call.x?.gemini);
  const { contents, systemInstruction } = encodeTurns(call, target, losses);
  const { tools, functionCallingConfig } = encodeTools(call, target, losses);
  const toolConfig = {
    ...(functionCallingConfig === undefined ? {} : { functionCallingConfig }),
    ...own.toolConfig,
  };
  const config = { ...generationConfig(call, target, losses), ...own.generationConfig };
  return {
    contents,
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(tools === undefined ? {} : { tools }),
    ...(Object.keys(toolConfig).length === 0 ? {} : { toolConfig }),
    ...(call.safety === undefined ? {} : { safetySettings: call.safety }),
    ...(call.cache?.resource === undefined ? {} : { cachedContent: call.cache.resource }),
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
    ...labels(call, target, losses),
    ...serviceTier(call, target, losses),
    ...own.body,
  };
}

export const isVertex = ({ provider }: Pick<Target, 'provider'>): boolean => provider.startsWith('vertex');

/**
 * Returns the path of a method of the target's model. Names with a collection (`tunedModels/x`)
 * keep it.
 */
export function modelPath(target: Pick<Target, 'provider' | 'model'>, method: string): string {
  const [, collection = 'models', name = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(target.model) ?? [];
  return isVertex(target)
    ? vertexPath(target.model, method)
    : `/${collection}/${encodeURIComponent(name)}:${method}`;
}

/**
 * Returns the path on Vertex, which accepts names of Google's models, ids of endpoints, and full
 * resource names, whose beginning is in the base URL.
 */
function vertexPath(model: string, method: string): string {
  const resource = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:endpoints[./])(.+)$/s.exec(model)?.[1];
  if (resource !== undefined) return `/endpoints/${encodeURIComponent(resource)}:${method}`;
  const name = model.replace(
    /^(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/google\/models\/|models\/|google[./])/,
    '',
  );
  return `/publishers/google/models/${encodeURIComponent(name)}:${method}`;
}

/** Encodes labels, which only Vertex has. */
function labels(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  if (call.metadata === undefined) return {};
  if (isVertex(target)) return { labels: call.metadata };
  losses.note(pathOf(call, 'metadata'));
  return {};
}

const TIERS: Readonly<Partial<Record<ServiceTier, string>>> = {
  default: 'standard',
  flex: 'flex',
  priority: 'priority',
};

function serviceTier(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  const { serviceTier: tier } = call;
  if (tier === undefined || tier === 'auto') return {};
  const name = TIERS[tier];
  if (name !== undefined && !isVertex(target)) return { serviceTier: name };
  // Vertex always uses its standard tier unless a header requests another one.
  if (tier !== 'default') losses.note(pathOf(call, 'serviceTier'));
  return {};
}
