import { isOfUsers } from '@gw/contracts';
import type { McpIntegrationEntity } from '@gw/entities';
import { CONTROL_PLANE_VERSION, VendorError } from '@gw/kernel';
import { NO_CAPABILITIES, own, type JsonObject, type ListedType } from '@gw/mcp';
import {
  EraVerdicts,
  McpUpstream,
  UpstreamError,
  type HeaderSource,
  type ListKind,
  type UpstreamNetwork,
} from '@gw/mcp-client';
import { OutboundClient } from '@gw/outbound';
import { awsRequestHeaders } from '@gw/providers';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { McpSecrets } from '../../platform/mcp/mcp-secrets.service';
import { keptCapabilities } from '../../platform/upstreams/capability-changes';
import { SharedHeaders } from '../../platform/upstreams/shared-headers.service';
import { MCP_UPSTREAM } from './mcp-configurations';
import { MCP_NETWORK } from './mcp-network';
import { infoOf, textOf } from './mcp-server-info';
import type { ServerSnapshot } from './mcp-snapshot';
import { McpReadError, type McpSource, type ServerDescription } from './mcp-source';

/**
 * Timeout of all requests of one `read` to the server together, in milliseconds. Counts the time in
 * which the credential is obtained, but does not end it.
 */
const READ_MS = 60_000;
/** Like `READ_MS`, for a `describe` whose caller sets no timeout. */
const TEST_MS = 30_000;

/** The lists of a server, with the capability that a server with the list declares. */
const LISTS: readonly (readonly [capability: string, kind: ListKind, type: ListedType])[] = [
  ['tools', 'tools', 'tool'],
  ['prompts', 'prompts', 'prompt'],
  ['resources', 'resources', 'resource'],
  ['resources', 'templates', 'resource_template'],
];

/** Reads upstream MCP servers with the credential that all callers share. */
@Injectable()
export class McpUpstreams implements McpSource, OnModuleDestroy {
  private readonly verdicts = new EraVerdicts();

  constructor(
    private readonly client: OutboundClient,
    private readonly secrets: McpSecrets,
    private readonly shared: SharedHeaders,
    @Inject(MCP_NETWORK) private readonly network: UpstreamNetwork,
  ) {}

  onModuleDestroy(): void {
    this.client.close();
  }

  /**
   * Reads the server's information about itself and the lists of the capabilities that it declares.
   * `isCut` is true when a bound ended a list or left out capabilities. Throws `McpReadError`.
   */
  read(row: McpIntegrationEntity): Promise<ServerSnapshot> {
    return this.with(row, READ_MS, async (upstream, signal) => {
      const { serverInfo, capabilities, instructions, revision } = await upstream.describe({ signal });
      const info = infoOf(serverInfo, { capabilities, instructions, revision });
      const listed: [(typeof LISTS)[number][2], readonly JsonObject[]][] = [];
      let isCut = false;
      for (const [capability, kind, type] of LISTS) {
        if (own(capabilities, capability) === undefined) continue;
        const list = await upstream.list(kind, { signal });
        listed.push([type, list.items]);
        isCut ||= list.isCut;
      }
      const keptListing = keptCapabilities(listed);
      return { info, ...keptListing, isCut: keptListing.isCut || isCut };
    });
  }

  /**
   * Connects within `totalMs` milliseconds. Returns the name of the server, null when it has none,
   * and how long the connection took in milliseconds, without the time in which the credential was
   * obtained. Throws `McpReadError`.
   */
  describe(row: McpIntegrationEntity, totalMs = TEST_MS): Promise<ServerDescription> {
    return this.with(row, totalMs, async (upstream, signal) => {
      const startedAt = performance.now();
      const { serverInfo } = await upstream.describe({ signal });
      return { name: textOf(serverInfo, 'name', 255), tookMs: Math.round(performance.now() - startedAt) };
    });
  }

  private async with<T>(
    row: McpIntegrationEntity,
    totalMs: number,
    work: (upstream: McpUpstream, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.timeout(totalMs);
    let upstream: McpUpstream | null = null;
    try {
      upstream = this.upstreamOf(row, await this.headersOf(row));
      return await work(upstream, signal);
    } catch (error) {
      throw readErrorOf(error, signal.aborted ? totalMs : null);
    } finally {
      await upstream?.close();
    }
  }

  private upstreamOf(
    { id, organisationId, url, transport }: McpIntegrationEntity,
    headers: HeaderSource,
  ): McpUpstream {
    return new McpUpstream({
      ...{ ...this.network, url: new URL(url), verdicts: this.verdicts },
      ...{ poolClass: `${organisationId}:${id}`, eraKey: `${id}:${url}`, headers },
      capabilities: NO_CAPABILITIES,
      clientInfo: { name: 'tollgate', version: CONTROL_PLANE_VERSION },
      protocol: transport === 'sse' ? 'sse' : 'auto',
    });
  }

  /**
   * Returns the source of the shared credential's headers; it returns none when users authenticate
   * individually or the server needs no credential. Throws `VendorError`. The source of `aws_sigv4`
   * throws it too, when the settings or the secret cannot sign a request.
   */
  private async headersOf(row: McpIntegrationEntity): Promise<HeaderSource> {
    if (isOfUsers(row.authType)) return () => ({});
    if (row.authType === 'aws_sigv4') {
      const secret = (await this.secrets.clientSecret(row, 'secret_access_key')) ?? '';
      return (request) => awsRequestHeaders(row.configurations, secret, request, Date.now());
    }
    const headers = await this.shared.headersOf(MCP_UPSTREAM, row);
    return () => headers;
  }
}

/**
 * Returns the error of a read that failed. `exceededMs` is the time that has passed; null when it
 * has not. Throws every error that is a fault of the control plane.
 */
function readErrorOf(error: unknown, exceededMs: number | null): McpReadError {
  if (error instanceof VendorError)
    return new McpReadError(`Its credential could not be obtained: ${error.message}`, null, false);
  if (!(error instanceof UpstreamError)) throw error;
  const { message, status, kind } = error;
  if (exceededMs !== null && kind === 'cancelled')
    return new McpReadError(`It was not read within ${String(exceededMs / 1_000)} s.`, null, false);
  return new McpReadError(message, status, kind === 'unauthorized', { cause: error });
}
