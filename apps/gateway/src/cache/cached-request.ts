import { inlineConfigVersion, ownCredential, relevantHeaders, type CacheRequest } from '@gw/cache';
import { forwardedHeaders } from '../attempt/request/forwarded-headers';
import type { GatewayPrincipal } from '../auth/principals';
import type { Upstream } from '../core/upstream';
import type { BuiltRequest } from '../attempt/request/request-builder';
import type { RequestContext } from '../core/request-context';

/** Collects everything that decides which response an attempt gets, as input of the cache key. */
export function cachedRequest(
  context: RequestContext,
  upstream: Upstream,
  { request }: BuiltRequest,
  body: Buffer,
  namespace: string | null,
): CacheRequest {
  const { organisation, workspace } = context.principal as GatewayPrincipal;
  const { saved, credential } = upstream;
  return {
    organisationId: organisation.id,
    workspaceId: workspace.id,
    configVersion: configVersionOf(context),
    provider: upstream.provider.id,
    credential:
      saved === null
        ? ownCredential(JSON.stringify([credential.apiKey, credential.configurations]))
        : `${saved.id}@${saved.version}`,
    model: upstream.model,
    route: context.route.kind,
    method: request.method,
    origin: request.origin,
    path: request.path,
    // Forwarded headers are all part of the key, because they may carry credentials. In the built
    // request they can no longer be distinguished from other headers.
    headers: relevantHeaders(request.headers, forwardedHeaders(context, upstream)),
    body,
    namespace,
    metadata: context.metadata,
  };
}

function configVersionOf({ configSource, gw }: RequestContext): string {
  if (configSource.versionId !== null) return configSource.versionId;
  return gw.config === null ? 'none' : inlineConfigVersion(gw.config);
}
