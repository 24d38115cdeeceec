import { documentKey, type ProviderDocument } from '@gw/contracts';
import type { LocalResponse } from '@gw/providers';
import type { Documents } from '../auth/documents';
import type { GatewayPrincipal } from '../auth/principals';
import { GatewayResponse } from './gateway-response';
import { type Upstream } from '../core/upstream';
import type { RequestContext } from '../core/request-context';
import { playLocal } from './local-transport';
import type { AroundStage, AttemptCall } from './attempt-call';
import { reportResult } from './sender';

/**
 * Serves the models route without a provider call when both the caller (`x-gw-models-endpoint`) and
 * the config (`fetch_integrated_models`) request it. Lists the enabled models of the config's saved
 * providers as `@slug/model`. For a provider that allows all models, lists those that an
 * administrator added.
 */
export class IntegratedModelsAround implements AroundStage {
  constructor(private readonly documents: Documents) {}

  isUsed({ context: { route, gw, upgrade }, target }: AttemptCall): boolean {
    return route.kind === 'models' && gw.modelsEndpoint && target.fetchIntegratedModels && upgrade === null;
  }

  around(call: AttemptCall): void {
    reportResult(call, this.listed(call));
  }

  private async listed({ context, upstream, listener }: AttemptCall): Promise<GatewayResponse> {
    const providers = await this.providersOf(context, upstream);
    const data = providers.flatMap(({ slug, models }) =>
      models
        .filter(({ enabled }) => enabled)
        .map((model) => ({
          id: `@${slug}/${model.slug}`,
          slug: model.slug,
          canonical_slug: model.baseModelSlug ?? model.slug,
          object: 'model',
        })),
    );
    return new Promise((resolve) => {
      const response = new GatewayResponse(upstream, { responded: resolve }, context);
      response.call = playLocal(json({ object: 'list', total_count: data.length, data }), response);
      listener.callStarted(response);
    });
  }

  /**
   * Returns the config's saved providers without duplicates, in the order of its targets; when the
   * config names none, the provider of this attempt.
   */
  private async providersOf(
    { config, principal }: RequestContext,
    { saved }: Upstream,
  ): Promise<ProviderDocument[]> {
    const workspaceId = (principal as GatewayPrincipal).workspace.id;
    const named = (config?.targets ?? []).flatMap(({ provider, virtualKey }) => {
      if (provider?.startsWith('@')) return [provider.slice(1)];
      return provider === null && virtualKey !== null ? [virtualKey] : [];
    });
    const found = await Promise.all([...new Set(named)].map((slug) => this.read(workspaceId, slug)));
    const listed = found.filter((document) => document !== null);
    return listed.length === 0 && saved !== null ? [saved] : listed;
  }

  private async read(workspaceId: string, slug: string): Promise<ProviderDocument | null> {
    const key = documentKey.provider(workspaceId, slug);
    const document = this.documents.get(key) ?? (await this.documents.load(key));
    return document?.kind === 'provider' && document.status === 'active' ? document : null;
  }
}

const json = (body: object): LocalResponse => ({
  status: 200,
  headers: ['content-type', 'application/json; charset=utf-8'],
  delayMs: 0,
  chunks: [{ waitMs: 0, data: Buffer.from(JSON.stringify(body)) }],
  cut: false,
});
