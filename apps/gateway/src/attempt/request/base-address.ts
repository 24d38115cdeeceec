import { HEADER } from '@gw/contracts';
import { assertAllowedUrl, GatewayError, type AddressPolicy } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import type { Upstream } from '../../core/upstream';
import type { RequestView } from '../../core/request-context';
import { customHostOf } from '../saved-model';

export interface BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without a trailing slash; empty for the root. */
  readonly path: string;
}

/** A provider that runs in this process has no address. */
const IN_PROCESS: BaseAddress = { origin: '', path: '' };
const BASES_MAX = 10_000;

/**
 * Finds the base address of a provider. The policy checks each address once; the result is cached
 * by the address's text.
 */
export class BaseAddresses {
  private readonly parsedBases = new LRUCache<string, BaseAddress>({ max: BASES_MAX });

  constructor(private readonly policy: AddressPolicy) {}

  /**
   * Returns the base address for a call. A saved provider always has its saved address, so that its
   * credential is sent nowhere else; throws when the request or the target names another host. For
   * any other provider, the request's host takes precedence over the target's, and that over the
   * provider's own.
   */
  of({ gw, route }: RequestView, upstream: Upstream): BaseAddress {
    const { provider, credential, model, saved, target } = upstream;
    if (provider.local) return IN_PROCESS;
    const named = gw.customHost ?? target.customHost;
    const host = customHostOf(gw, upstream);
    const base = this.parsed(
      host ?? provider.baseUrl(credential, model, route.kind),
      host === null ? 'provider' : HEADER.customHost,
    );
    if (saved !== null && named !== null && !isSame(base, this.parsed(named, HEADER.customHost))) {
      throw new GatewayError('custom_host_refused', {
        param: gw.customHost === null ? `${target.path}.custom_host` : HEADER.customHost,
        message: `A saved credential is only sent to the host that is saved with it; remove custom_host, or save it with the provider @${saved.slug}.`,
      });
    }
    return base;
  }

  private parsed(url: string, param: string): BaseAddress {
    const known = this.parsedBases.get(url);
    if (known) return known;
    assertAllowedUrl(this.policy, url, param);
    const { origin, pathname } = new URL(url);
    const base = { origin, path: pathname.replace(/(?<!\/)\/+$/, '') };
    this.parsedBases.set(url, base);
    return base;
  }
}

const isSame = (one: BaseAddress, other: BaseAddress): boolean =>
  one.origin === other.origin && one.path === other.path;
