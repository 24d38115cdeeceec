import type { McpServerDocument } from '@gw/contracts';
import { GATEWAY_VERSION, GatewayError, type Shares } from '@gw/kernel';
import { capabilitiesOfBits, relayedCapabilityBits, type ClientCapabilities } from '@gw/mcp';
import { EraVerdicts, McpUpstream, UpstreamPool, type UpstreamNetwork } from '@gw/mcp-client';
import type { ResponseMemory } from '@gw/outbound';
import { workspaceMemory } from '../bodies/held-responses';
import type { CalledUpstream, UpstreamOwner } from './called-upstream';
import { OpenApiUpstream } from './openapi/openapi-upstream';
import { poolClassOf } from './pool-class';
import { samplingModel } from './sampling/sampling';
import type { ServerCredentials } from '../credentials/server-credentials';

export interface UpstreamParts {
  readonly network: UpstreamNetwork;
  readonly credentials: ServerCredentials<McpServerDocument>;
  /** Memory for responses; workspaces share it. */
  readonly memory: Shares;
}

const CLIENT_INFO = { name: 'tollgate', version: GATEWAY_VERSION };

/** The clients of upstream servers in this process, with their sessions. */
export class McpUpstreams {
  private readonly pool = new UpstreamPool();
  private readonly verdicts = new EraVerdicts();

  constructor(private readonly parts: UpstreamParts) {}

  /**
   * Returns the client of a server for one owner. Throws `unavailable` when calls use the whole
   * share of the server's workspace.
   */
  of(server: McpServerDocument, owner: UpstreamOwner): CalledUpstream {
    if (server.integrationKind === 'openapi')
      return new OpenApiUpstream(server, owner, { ...this.parts, memory: this.memoryOf(server) });
    const { capabilities, allowSampling } = inputRules(server, owner.capabilities);
    const bits = relayedCapabilityBits(capabilities, { allowSampling });
    const key = `${server.id}/${server.version}/${owner.session ?? owner.binding}/${String(bits)}`;
    const upstream = this.pool.get(key, server, () => this.create(server, capabilitiesOfBits(bits), owner));
    if (upstream === null)
      throw new GatewayError('unavailable', {
        message: 'The workspace uses too many sessions at MCP servers; retry later.',
        headers: { 'retry-after': '1' },
      });
    return upstream;
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  private memoryOf(server: McpServerDocument): ResponseMemory {
    return workspaceMemory(this.parts.memory, server);
  }

  private create(
    server: McpServerDocument,
    capabilities: ClientCapabilities,
    { binding, session, caller }: UpstreamOwner,
  ): McpUpstream {
    const { network, credentials } = this.parts;
    const { integrationId, version } = server;
    const isSse = server.transport === 'sse';
    return new McpUpstream({
      ...{ ...network, url: new URL(server.url), capabilities, clientInfo: CLIENT_INFO },
      poolClass: poolClassOf(server, isSse ? (session ?? binding) : binding),
      headers: (at) => credentials.headersOf(server, caller, at),
      protocol: isSse ? 'sse' : 'auto',
      verdicts: this.verdicts,
      eraKey: `${integrationId}/${version}`,
      memory: this.memoryOf(server),
      ...(server.timeoutMs !== null && { timeouts: { callMs: server.timeoutMs } }),
    });
  }
}

/** Whether the server may request completions from the client's model. */
export const allowsSampling = ({ configurations }: McpServerDocument): boolean =>
  configurations['allow_sampling'] === true;

/**
 * Returns the capabilities that are declared to a server, and whether it may request sampling: from
 * the client, or from the server's configured model.
 */
export function inputRules(
  server: McpServerDocument,
  capabilities: ClientCapabilities,
): { readonly capabilities: ClientCapabilities; readonly allowSampling: boolean } {
  if (samplingModel(server) === null) return { capabilities, allowSampling: allowsSampling(server) };
  return { capabilities: { ...capabilities, sampling: true, samplingTools: false }, allowSampling: true };
}
