import { createHash } from 'node:crypto';
import type { CompiledTarget } from '@gw/config-schema';
import { endpointKey } from '@gw/routing';
import type { Exchange } from '../exchange';

/**
 * Whose health and speed an attempt tells of. What the target leaves open is what the request names; a key that the caller
 * brought is hashed, since endpoints are shared between gateways.
 */
export function endpointOf(exchange: Exchange, target: CompiledTarget): string {
  const { gw, principal, scan } = exchange;
  const isOpen = target.provider === null && target.virtualKey === null;
  const named = isOpen ? (gw.provider ?? gw.virtualKey ?? slugOf(scan?.model)) : '';
  const brought = target.apiKey === null ? gw.providerKey : null;
  const key = brought === null ? '' : createHash('sha256').update(brought).digest('base64url').slice(0, 22);
  return endpointKey(principal?.workspace.id ?? '', target, `${named}/${key}`);
}

/** Of `@slug/model` the slug. */
const slugOf = (model: string | null | undefined): string =>
  model?.startsWith('@') ? model.slice(0, Math.max(0, model.indexOf('/'))) : '';
