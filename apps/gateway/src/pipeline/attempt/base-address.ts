import { HEADER } from '@gw/contracts';
import { assertAllowedUrl, GatewayError, type AddressPolicy } from '@gw/kernel';
import type { Upstream } from '../answer';
import type { Asked } from '../exchange';
import { modelOf } from './targeting';

export interface BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without a trailing slash; empty for the root. */
  readonly path: string;
}

/** A provider that answers in this process has no address. */
const IN_PROCESS: BaseAddress = { origin: '', path: '' };
const BASES_MAX = 10_000;

/** Where a provider's paths begin. Every address is checked by the policy, once, and remembered by its text. */
export class BaseAddresses {
  private readonly known = new Map<string, BaseAddress>();

  constructor(private readonly policy: AddressPolicy) {}

  /** The request's host wins, then the target's, the model's, the saved provider's, and last the provider's own. */
  of(exchange: Asked, upstream: Upstream): BaseAddress {
    const { provider, credential, model } = upstream;
    if (provider.local) return IN_PROCESS;
    const chosen = chosenByRequest(exchange, upstream);
    if (chosen !== null && upstream.saved !== null) {
      throw new GatewayError('custom_host_refused', {
        param: HEADER.customHost,
        message: 'A saved credential is only sent to the host that is saved with it.',
      });
    }
    const host = chosen ?? upstream.target.customHost ?? savedHost(upstream);
    return this.parsed(
      host ?? provider.baseUrl(credential, model, exchange.route.kind),
      host === null ? 'provider' : HEADER.customHost,
    );
  }

  private parsed(url: string, param: string): BaseAddress {
    const known = this.known.get(url);
    if (known) return known;
    assertAllowedUrl(this.policy, url, param);
    const { origin, pathname } = new URL(url);
    const base = { origin, path: pathname.replace(/(?<!\/)\/+$/, '') };
    if (this.known.size >= BASES_MAX) this.known.clear();
    this.known.set(url, base);
    return base;
  }
}

/** A host that the caller wrote down: in the header, or in a config of the request itself. */
function chosenByRequest({ gw, configSource }: Asked, { target }: Upstream): string | null {
  if (gw.customHost !== null) return gw.customHost;
  return configSource.slug === null ? target.customHost : null;
}

/** The host saved with the model, or with the provider. */
function savedHost({ saved, model, credential }: Upstream): string | null {
  const byModel = saved && model !== null ? (modelOf(saved, model)?.customHost ?? null) : null;
  if (byModel !== null) return byModel;
  const configured = credential.configurations['custom_host'];
  return typeof configured === 'string' ? configured : null;
}
