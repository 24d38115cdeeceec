import { createHash } from 'node:crypto';
import { endpointKey, type CompiledTarget } from '@gw/routing';
import type { RequestContext } from '../core/request-context';

/**
 * Returns the key of the endpoint whose health and speed an attempt measures. When the target names
 * no provider, the provider that the request names is used. A key or host sent by the caller is
 * included as a hash, because endpoints are shared between gateways.
 */
export function endpointOf(context: RequestContext, target: CompiledTarget): string {
  const { gw, principal, scan } = context;
  const isOpen = target.provider === null && target.virtualKey === null;
  const named = isOpen ? (gw.provider ?? gw.virtualKey ?? slugOf(scan?.model)) : '';
  const callerKey = target.apiKey === null ? gw.providerKey : null;
  const key = callerKey === null && gw.customHost === null ? '' : hashed([callerKey, gw.customHost]);
  return endpointKey(principal?.workspace.id ?? '', target, `${named}/${key}`);
}

const hashed = (own: readonly (string | null)[]): string =>
  createHash('sha256').update(JSON.stringify(own)).digest('base64url').slice(0, 22);

/** Returns the `@slug` of `@slug/model`; empty for other models. */
const slugOf = (model: string | null | undefined): string =>
  model?.startsWith('@') ? model.slice(0, Math.max(0, model.indexOf('/'))) : '';
