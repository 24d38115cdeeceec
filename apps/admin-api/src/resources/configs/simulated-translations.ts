import { setImmediate as immediate } from 'node:timers/promises';
import { HEADER } from '@gw/contracts';
import { IntegrationEntity, ProviderEntity } from '@gw/entities';
import type { LossMode } from '@gw/kernel';
import { previewTranslation, PROVIDERS, type Provider } from '@gw/providers';
import { ParamRules, type SimulatedRequest, type CompiledConfig, type CompiledTarget } from '@gw/routing';
import { In, type EntityManager } from 'typeorm';
import type { GuardrailScope } from '../../platform/rows/guardrail-references';
import { LIVE_PROVIDER } from '../../platform/rows/integrations.queries';
import type { SimulatedTranslationResponse } from './simulation.view';

/** A provider of a target, with its saved address. */
interface Named {
  readonly provider: Provider;
  readonly customHost: string | null;
}

/** A request with the settings that its translation depends on. */
export interface TranslatedRequest extends Pick<SimulatedRequest, 'params' | 'pathname' | 'headers'> {
  readonly scope: GuardrailScope;
  /** Loss mode of the workspace. */
  readonly loss: LossMode;
}

/**
 * Returns for each target of a config what a translation of the request would lose, or why the
 * gateway would refuse it. Leaves out a target whose provider is unknown, and every target when the
 * path calls no model.
 */
export async function simulatedTranslations(
  manager: EntityManager,
  { targets }: CompiledConfig,
  request: TranslatedRequest,
): Promise<SimulatedTranslationResponse[]> {
  const { params } = request;
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return [];
  const rules = new ParamRules(params as Record<string, unknown>);
  const named = targets.map((target) => nameOf(target, request));
  const saved = await savedProviders(manager, request.scope, named);
  const shownAll: SimulatedTranslationResponse[] = [];
  for (const [at, target] of targets.entries()) {
    const name = named[at] ?? null;
    const found = name === null ? undefined : (saved.get(name) ?? builtIn(name, target));
    if (found === undefined) continue;
    // Translating a long body takes milliseconds for each target, so the loop yields to other
    // requests.
    await immediate();
    const preview = previewOf(found, target, rules.apply(target), request);
    if (preview !== null) shownAll.push(shown(target, name, preview));
  }
  return shownAll;
}

function previewOf(
  { provider, customHost }: Named,
  target: CompiledTarget,
  body: Readonly<Record<string, unknown>>,
  request: TranslatedRequest,
): ReturnType<typeof previewTranslation> {
  const model = modelOf(body);
  return previewTranslation(provider, {
    path: request.pathname,
    body: model === null ? body : { ...body, model },
    model,
    customHost,
    loss: target.loss ?? request.loss,
  });
}

const nameOf = ({ provider, virtualKey }: CompiledTarget, request: TranslatedRequest): string | null =>
  provider ?? (virtualKey === null ? requestedProvider(request) : `@${virtualKey}`);

/**
 * Returns the provider that the request names in its header, virtual key or `@slug/model`; null
 * when there is none.
 */
function requestedProvider({ headers, params }: TranslatedRequest): string | null {
  const { model } = params as { readonly model?: unknown };
  const slugAndModel = typeof model === 'string' && /^@[^/]*\//.test(model) ? model : null;
  const virtualKey = headers[HEADER.virtualKey];
  const name = headers[HEADER.provider] ?? (virtualKey === undefined ? slugAndModel : `@${virtualKey}`);
  return name?.startsWith('@') === true ? name.replace(/\/.*/s, '') : name;
}

function builtIn(name: string, { customHost }: CompiledTarget): Named | undefined {
  const provider = PROVIDERS.get(name);
  return provider === undefined ? undefined : { provider, customHost };
}

/** Returns the model without the slug of a saved provider; null when there is no model. */
function modelOf({ model }: Readonly<Record<string, unknown>>): string | null {
  if (typeof model !== 'string') return null;
  return /^@(?!cf\/|hf\/)[^/]+\//.test(model) ? model.slice(model.indexOf('/') + 1) : model;
}

/** Returns the providers of the workspace by `@slug`. */
async function savedProviders(
  manager: EntityManager,
  { organisationId, workspaceId }: GuardrailScope,
  names: readonly (string | null)[],
): Promise<ReadonlyMap<string, Named>> {
  const slugs = names.flatMap((name) => (name?.startsWith('@') === true ? [name.slice(1)] : []));
  if (workspaceId === null || slugs.length === 0) return new Map();
  const rows = await manager.find(ProviderEntity, {
    where: { organisationId, workspaceId, slug: In(slugs), status: LIVE_PROVIDER },
    select: { id: true, slug: true, integrationId: true },
  });
  const integrations = await manager.find(IntegrationEntity, {
    where: { id: In(rows.map(({ integrationId }) => integrationId)) },
    select: { id: true, aiProviderId: true, configurations: true },
  });
  const byId = new Map(integrations.map((row) => [row.id, row]));
  return new Map(
    rows.flatMap(({ slug, integrationId }) => {
      const integration = byId.get(integrationId);
      const provider = PROVIDERS.get(integration?.aiProviderId ?? '');
      const host = integration?.configurations['custom_host'];
      const customHost = typeof host === 'string' ? host : null;
      return provider === undefined ? [] : [[`@${slug}`, { provider, customHost }] as const];
    }),
  );
}

const shown = (
  target: CompiledTarget,
  provider: string | null,
  { translation, losses, more, refused }: NonNullable<ReturnType<typeof previewTranslation>>,
): SimulatedTranslationResponse => ({
  target: target.path,
  provider,
  translation,
  losses: losses.map(({ path, code, to }) => ({ path, code, to: to ?? null })),
  more_losses: more,
  refused: refused && {
    type: refused.type,
    param: refused.options.param ?? null,
    message: refused.message,
  },
});
