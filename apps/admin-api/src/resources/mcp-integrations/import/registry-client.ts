import { assertAllowedUrl, GatewayError, isObject, Shares, type AddressPolicy } from '@gw/kernel';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { invalid, isStorable } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../../platform/credentials/integration-credentials';

/**
 * Maximum number of concurrent fetches in this process. A single organisation can use half of them.
 */
const FETCHES_MAX = 8;
const FETCH_MS = 10_000;
const BYTES_MAX = 1_048_576;

export interface RegistryName {
  readonly registryUrl: string;
  readonly name: string;
  readonly version: string;
}

/** Reads servers from MCP registries (API v0.1) and applies the address policy to every request. */
@Injectable()
export class RegistryClient {
  private readonly places = new Shares(FETCHES_MAX);

  constructor(
    private readonly http: BufferedClient,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Returns the `server` of a registry's response. Throws `custom_host_refused` and
   * `validation_failed` with the fault, and `rate_limited` when the organisation runs the maximum
   * number of fetches.
   */
  async read(organisationId: string, named: RegistryName): Promise<unknown> {
    const url = addressOf(named);
    assertAllowedUrl(this.policy, url, 'registry_url');
    const share = this.places.of(organisationId, organisationId);
    if (!share.take(1)) throw tooMany();
    try {
      const response: unknown = await this.fetch(url);
      const server = isObject(response) ? response['server'] : undefined;
      if (isObject(server) && server['name'] === named.name && isStorable(server)) return server;
      throw invalid(
        'registry_url',
        'did not answer with the server; check that it is an MCP registry with the API v0.1',
      );
    } finally {
      share.give(1);
    }
  }

  private async fetch(url: string): Promise<unknown> {
    try {
      const { status, body } = await this.http.fetchBuffered({
        ...{ url, headers: { accept: 'application/json' }, redirectsMax: 3 },
        ...{ totalTimeoutMs: FETCH_MS, bytesMax: BYTES_MAX },
      });
      if (status === 404) throw invalid('name', 'is not in the registry, or not in this version');
      if (status !== 200) throw invalid('registry_url', `answered with status ${String(status)}`);
      return JSON.parse(body.toString('utf8')) as unknown;
    } catch (error) {
      if (error instanceof OutboundError)
        throw invalid('registry_url', `was not read (${error.failure}): ${error.message}`);
      if (error instanceof SyntaxError) throw invalid('registry_url', 'did not answer with JSON');
      throw error;
    }
  }
}

/**
 * Returns the address of a server's version. The registry's own address may have a path, with or
 * without `/v0.1`.
 */
function addressOf({ registryUrl, name, version }: RegistryName): string {
  if (registryUrl.includes('?')) throw invalid('registry_url', 'must not have a query');
  const base = registryUrl.replace(/(?:\/v0\.1)?(?:\/servers)?\/?$/, '');
  return `${base}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
}

const tooMany = (): GatewayError =>
  new GatewayError('rate_limited', {
    message: 'Too many registries are being read at once; try again in a moment.',
    headers: { 'retry-after': '1' },
  });
