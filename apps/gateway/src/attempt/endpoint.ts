import { createHash } from 'node:crypto';
import type { CompiledTarget } from '@gw/config-schema';
import { endpointKey } from '@gw/routing';
import type { RequestContext } from '../core/request-context';

/**
 * Whose health and speed an attempt tells of. What the target leaves open is what the request names; a key and a host that the
 * caller brought are hashed, since endpoints are shared between gateways.
 */
export function endpointOf(context: RequestContext, target: CompiledTarget): string {
  const { gw, principal, scan } = context;
  const isOpen = target.provider === null && target.virtualKey === null;
  const named = isOpen ? (gw.provider ?? gw.virtualKey ?? slugOf(scan?.model)) : '';
  const brought = target.apiKey === null ? gw.providerKey : null;
  const key = brought === null && gw.customHost === null ? '' : hashed([brought, gw.customHost]);
  return endpointKey(principal?.workspace.id ?? '', target, `${named}/${key}`);
}

const hashed = (own: readonly (string | null)[]): string =>
  createHash('sha256').update(JSON.stringify(own)).digest('base64url').slice(0, 22);

/** Of `@slug/model` the slug. */
const slugOf = (model: string | null | undefined): string =>
  model?.startsWith('@') ? model.slice(0, Math.max(0, model.indexOf('/'))) : '';
