import {
  documentKey,
  HEADER,
  ROUTE_FAMILIES,
  type RouteFamily,
  type ProviderDocument,
  type ProviderModel,
} from '@gw/contracts';
import type { CompiledTarget } from '@gw/routing';
import { GatewayError, nearestName } from '@gw/kernel';
import {
  retiredMessage,
  type Credential,
  type Provider,
  type ProviderVariant,
  type RouteSupport,
} from '@gw/providers';
import type { CloudCredentials } from '../credentials/cloud-credentials';
import type { Credentials } from '../credentials/credentials';
import { didYouMean } from '../configs/near-slugs';
import type { OwnCredentials } from '../credentials/own-credentials';
import type { Documents } from '../auth/documents';
import type { GatewayPrincipal } from '../auth/principals';
import type { Upstream } from '../core/upstream';
import { parseJsonObject } from '../bodies/json-body';
import { requestedModel } from '../core/requested-model';
import type { RequestView } from '../core/request-context';
import { modelAtProvider } from '../routes/path-call';
import { inlineKey } from '../credentials/callers-key';
import { ownCredential, refuseOwnCredentials } from './request/forwarded-headers';
import { customHostOf, modelOf } from './saved-model';

export interface TargetingOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly sandboxEnabled: boolean;
}

const SLUG_MAX = 255;

function providerUnknown(id: string, near: string | null): GatewayError {
  const meant = near === null ? '' : ` Did you mean ${near}?`;
  const unknown = `The provider is not known. Send the id of a provider, or a saved provider as @slug.${meant}`;
  return new GatewayError('provider_unknown', {
    param: HEADER.provider,
    message: retiredMessage(id) ?? unknown,
    extra: { provider: id.slice(0, 64) },
  });
}

/**
 * Resolves a target of the plan to a provider with a credential. Throws errors for the caller
 * before any call is made.
 */
export class Targeting {
  constructor(
    private readonly documents: Documents,
    private readonly credentials: Credentials,
    private readonly ownCredentials: OwnCredentials,
    private readonly cloud: CloudCredentials,
    private readonly options: TargetingOptions,
  ) {}

  pick(context: RequestView, target: CompiledTarget): Upstream | Promise<Upstream> {
    const found = this.find(context, target);
    const forwardsHeaders = (context.gw.forwardHeaders ?? target.forwardHeaders).length > 0;
    return forwardsHeaders ? this.checked(context, found) : found;
  }

  private async checked(context: RequestView, found: Upstream | Promise<Upstream>): Promise<Upstream> {
    const upstream = await found;
    if (!upstream.provider.local) await refuseOwnCredentials(this.ownCredentials, context, upstream);
    return upstream;
  }

  private find(context: RequestView, target: CompiledTarget): Upstream | Promise<Upstream> {
    const named = providerNamed(context, target);
    if (named === null) throw new GatewayError('provider_missing');
    if (!named.startsWith('@')) return this.inline(context, target, named);
    const slash = named.indexOf('/');
    const slug = slash === -1 ? named.slice(1) : named.slice(1, slash);
    const key = documentKey.provider((context.principal as GatewayPrincipal).workspace.id, slug);
    const document = this.documents.get(key);
    if (document === undefined) {
      return this.documents.load(key).then((loaded) => this.savedOf(context, target, loaded, slug));
    }
    return this.savedOf(context, target, document, slug);
  }

  private savedOf(
    context: RequestView,
    target: CompiledTarget,
    document: unknown,
    slug: string,
  ): Upstream | Promise<Upstream> {
    const saved = assertSavedUsable(document, slug, context.startedWallMs, () => {
      const all = documentKey.provider((context.principal as GatewayPrincipal).workspace.id, '');
      return this.isKnown(slug)
        ? ` Without the @, ${slug} is a provider that you call with your own key.`
        : didYouMean(this.documents, all, slug, { mark: '@' });
    });
    const provider = this.providerById(saved.providerId);
    const credential = this.credentials.of(saved);
    const finish = (opened: Credential): Upstream | Promise<Upstream> => {
      const upstream = this.build(context, target, provider, saved, opened);
      checkModel(context, upstream, saved);
      return this.cloud.complete(context, upstream);
    };
    return credential instanceof Promise ? credential.then(finish) : finish(credential);
  }

  private inline(context: RequestView, target: CompiledTarget, id: string): Upstream | Promise<Upstream> {
    if (!this.isKnown(id)) return this.throwUnknown(context, id);
    const provider = this.providerById(id);
    if (variantOf(context, provider) === null) supportOf(context, provider);
    const apiKey = inlineKey(context, target, provider);
    const finish = (isOwn: boolean): Upstream | Promise<Upstream> => {
      if (isOwn) throw ownCredential('authorization');
      const credential = { apiKey, configurations: target.providerFields };
      return this.cloud.complete(context, this.build(context, target, provider, null, credential));
    };
    if (apiKey === null || provider.local) return finish(false);
    const isOwn = this.ownCredentials.includes(apiKey);
    return isOwn instanceof Promise ? isOwn.then(finish) : finish(isOwn);
  }

  private providerById(id: string): Provider {
    const provider = this.options.providers.get(id);
    if (provider && this.isKnown(id)) return provider;
    throw providerUnknown(id, this.nearestId(id));
  }

  private isKnown(id: string): boolean {
    const provider = this.options.providers.get(id);
    return provider !== undefined && (!provider.local || this.options.sandboxEnabled);
  }

  /**
   * Throws the error for an unknown provider, and suggests a saved one, because the @ of a slug is
   * often forgotten.
   */
  private async throwUnknown(context: RequestView, id: string): Promise<never> {
    const { workspace } = context.principal as GatewayPrincipal;
    const saved = await this.documents.load(documentKey.provider(workspace.id, id.slice(0, SLUG_MAX)));
    throw providerUnknown(id, saved?.kind === 'provider' ? `@${id}` : this.nearestId(id));
  }

  private nearestId(id: string): string | null {
    return nearestName(
      id,
      [...this.options.providers.keys()].filter((known) => this.isKnown(known)),
    );
  }

  private build(
    context: RequestView,
    target: CompiledTarget,
    provider: Provider,
    saved: ProviderDocument | null,
    credential: Credential,
  ): Upstream {
    const inPath = modelOfPath(context, provider);
    const requested = inPath ?? calledModel(context, target);
    const model = requested === null ? null : withoutSlug(requested);
    const isModelInPath = inPath !== null || context.route.call !== null;
    const destination = { target, saved, credential, model, isModelInPath };
    const receiver = this.providerFor(provider, context, destination);
    const variant = variantOf(context, receiver);
    const isUsed =
      variant !== null && (variant.atCustomHost || customHostOf(context.gw, destination) === null);
    const serving = isUsed ? variant.provider : receiver;
    return { ...destination, provider: serving, support: supportOf(context, serving) };
  }

  /**
   * Returns the variant of the provider that serves this model at this address; the provider itself
   * when it has no such variant.
   */
  private providerFor(
    provider: Provider,
    { gw }: RequestView,
    destination: Parameters<typeof customHostOf>[1],
  ): Provider {
    if (provider.forCall === undefined) return provider;
    const customHost = customHostOf(gw, destination);
    return provider.forCall({ model: destination.model, customHost }) ?? provider;
  }
}

/**
 * Returns the variant of the provider that serves the route in another dialect; null when there is
 * none.
 */
const variantOf = ({ route }: RequestView, provider: Provider): ProviderVariant | null =>
  provider.variants?.[route.kind] ?? null;

/** Returns how the provider serves the route; null on passthrough. Throws `route_unsupported`. */
function supportOf({ route }: RequestView, provider: Provider): RouteSupport | null {
  if (route.kind === 'passthrough') return null;
  const support = provider.routes[route.kind];
  // Only the call that creates a response is translated: a provider of another dialect stores no
  // object to read, cancel or delete.
  const { pathEnd }: RouteFamily = ROUTE_FAMILIES[route.kind];
  const isCall =
    support?.via !== 'translated' ||
    route.address !== null ||
    pathEnd === undefined ||
    route.upstreamPath === pathEnd;
  if (support !== undefined && isCall) return support;
  throw new GatewayError('route_unsupported', {
    message: `The provider ${provider.id} does not serve ${route.name}.`,
  });
}

/**
 * Throws when a saved provider does not exist, has expired, or has exhausted a budget that only its
 * status shows.
 */
export function assertSavedUsable(
  document: unknown,
  slug: string,
  nowMs: number,
  advice: () => string = () => '',
): ProviderDocument {
  const saved = document as ProviderDocument | null;
  if (saved?.kind !== 'provider' || saved.status === 'archived') {
    throw new GatewayError('provider_not_found', {
      param: HEADER.provider,
      message: `The API key's workspace has no provider with this slug.${advice()}`,
      extra: { provider: `@${slug}` },
    });
  }
  if (saved.status === 'expired' || isPast(saved.expiresAt, nowMs)) {
    throw new GatewayError('credential_expired', { extra: { provider: `@${slug}` } });
  }
  // The ledger enforces budgets that this gateway knows; the status is only updated with a delay.
  if (saved.status === 'exhausted' && saved.usageLimits.length === 0) {
    throw new GatewayError('budget_exhausted', { extra: { scope: 'provider', id: saved.id } });
  }
  return saved;
}

/**
 * Returns the provider that the target names, or otherwise the request in its header, virtual key
 * or `@slug/model`; null when none is named.
 */
export function providerNamed(context: RequestView, target: CompiledTarget): string | null {
  if (target.provider !== null) return target.provider;
  if (target.virtualKey !== null) return `@${target.virtualKey}`;
  const { provider, virtualKey } = context.gw;
  if (provider !== null) return provider;
  if (virtualKey !== null) return `@${virtualKey}`;
  const model = context.scan?.model ?? context.route.address?.model;
  return model?.startsWith('@') && model.includes('/') ? model : null;
}

const isPast = (iso: string | null, nowMs: number): boolean => iso !== null && Date.parse(iso) <= nowMs;

/** Returns the model that the path of the provider's own API names; null on all other paths. */
const modelOfPath = ({ method, route }: RequestView, { modelPaths }: Provider): string | null =>
  modelPaths === undefined || route.kind !== 'passthrough'
    ? null
    : modelAtProvider(method, route.upstreamPath, modelPaths);

/** Whether the provider receives the client's own path, which names a model. */
const pathKeepsModel = ({ call, address }: RequestView['route']): boolean =>
  call !== null && address === null;

/**
 * Whether no parameter rule can replace the model, because the path with the model, or a body in
 * which no model was found, is sent unchanged.
 */
const keepsModel = ({ route, scan, body, spooled }: RequestView): boolean =>
  pathKeepsModel(route) ||
  ((body.length > 0 || spooled !== null) &&
    (scan === null || (scan.isForm === true && scan.modelSpan === null)));

/**
 * Returns the model that a target calls: the one that its parameter rules set, otherwise that of
 * the request; null when there is none. A provider may stand before it: `@slug/model`.
 */
export function calledModel(context: RequestView, target: CompiledTarget): string | null {
  const requested = requestedModel(context);
  if (!target.hasParamRules || keepsModel(context)) return requested;
  const override = target.overrideParams?.['model'];
  if (typeof override === 'string') return override;
  const byDefault = target.defaultParams?.['model'];
  return typeof byDefault === 'string' && requested === null && takesDefaultModel(context)
    ? byDefault
    : requested;
}

/** Whether the body is a JSON object without a model. One that cannot be read is refused later. */
function takesDefaultModel(context: RequestView): boolean {
  if (context.spooled !== null || context.body.length === 0) return false;
  try {
    return !Object.hasOwn(context.json(parseJsonObject), 'model');
  } catch {
    return false;
  }
}

/**
 * Removes the slug of a saved provider from `@slug/model`; `@cf/…` and `@hf/…` are model names
 * themselves.
 */
export const withoutSlug = (model: string): string =>
  model.startsWith('@') && !model.startsWith('@cf/') && !model.startsWith('@hf/') && model.includes('/')
    ? model.slice(model.indexOf('/') + 1)
    : model;

/**
 * Throws when the model is not enabled. A route that calls a model must name one. With an
 * allow-list, so must every body that could name a model, because an unreadable body could name
 * any, and parameter rules must not drop the model from it.
 */
function checkModel(context: RequestView, upstream: Upstream, saved: ProviderDocument): void {
  const { model, target, isModelInPath } = upstream;
  if (saved.allowAllModels && saved.models.length === 0) return;
  for (const named of otherModels(context, isModelInPath))
    if (!isEnabled(saved, named)) throw notEnabled(saved, named);
  if (model === null) checkUnnamed(context, saved);
  else if (!isEnabled(saved, model)) throw notEnabled(saved, model);
  if (!saved.allowAllModels && !isModelInPath && dropsModel(context, target))
    throw notEnabled(saved, null, DROPPED);
}

/** Whether a parameter rule drops the model on a route where the provider then chooses one. */
const dropsModel = (context: RequestView, { dropParams }: CompiledTarget): boolean =>
  context.route.model === 'maybe' &&
  dropParams.some(({ segments }) => segments.length === 1 && segments[0] === 'model') &&
  !keepsModel(context);

/**
 * Throws when a message of a session names a model that is not enabled. `model` is null when the
 * message could name any model.
 */
export function checkModelOf(saved: ProviderDocument | null, model: string | null): void {
  if (saved === null) return;
  const isRefused =
    model === null ? !saved.allowAllModels || saved.models.some(isDisabled) : !isEnabled(saved, model);
  if (isRefused) throw notEnabled(saved, model);
}

const isEnabled = (saved: ProviderDocument, model: string): boolean =>
  modelOf(saved, model)?.enabled ?? (saved.allowAllModels && !isDisabledInAnyCase(saved, model));

/** Some providers ignore the case of a model name, as Azure does for a deployment. */
function isDisabledInAnyCase({ models }: ProviderDocument, model: string): boolean {
  const lower = model.toLowerCase();
  return models.some(({ enabled, slug }) => !enabled && slug.toLowerCase() === lower);
}

/** Checks a request in which no model was found. */
function checkUnnamed(context: RequestView, saved: ProviderDocument): void {
  const { route, body, spooled, upgrade } = context;
  const couldName = route.model === 'maybe' && (body.length > 0 || spooled !== null || upgrade !== null);
  if (route.model === 'always' || (!saved.allowAllModels && couldName)) throw notEnabled(saved, null);
  if (couldName && hidesModel(context) && saved.models.some(isDisabled))
    throw notEnabled(saved, null, UNREADABLE);
}

const isDisabled = ({ enabled }: ProviderModel): boolean => !enabled;

const UNREADABLE =
  'The provider has models that are not enabled, and the model of this body cannot be read. Send a JSON object in UTF-8, ' +
  'without a content encoding.';

const DROPPED =
  'The provider has a list of enabled models, and drop_params removes the model, so that the provider would choose one.';

const notEnabled = (saved: ProviderDocument, model: string | null, message?: string): GatewayError =>
  new GatewayError('model_not_enabled', {
    param: 'model',
    ...(message === undefined ? {} : { message }),
    extra: { model, provider: `@${saved.slug}` },
  });

/**
 * Whether the body could name a model that the gateway does not see: it is not a JSON object, or
 * its `model` is ambiguous.
 */
const hidesModel = ({ scan, upgrade }: RequestView): boolean =>
  upgrade !== null || scan === null || scan.isForm === true || scan.needsParse;

/**
 * Returns models in places that a provider could read instead, on passthrough only: in the query,
 * and in the body when the path names a model.
 */
function otherModels({ route, query, scan }: RequestView, isModelInPath: boolean): readonly string[] {
  if (route.kind !== 'passthrough') return NONE;
  const inQuery = query === '' ? NONE : new URLSearchParams(query).getAll('model');
  const inBody = isModelInPath ? (scan?.model ?? null) : null;
  // Google's bodies name a model as `models/<name>`.
  return inBody === null ? inQuery : [...inQuery, withoutSlug(inBody).replace(/^models\//, '')];
}

const NONE: readonly string[] = [];
