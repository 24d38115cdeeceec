import { mcpAuthBinding, type McpAuthContent, type McpServerDocument, type SecretUse } from '@gw/contracts';
import { GATEWAY_VERSION, GatewayError, unseal, type AddressPolicy, type Keyring } from '@gw/kernel';
import { capabilityBits, relayedCapabilities, type ClientCapabilities } from '@gw/mcp';
import { EraVerdicts, McpUpstream, UpstreamPool } from '@gw/mcp-client';
import type { OutboundClient } from '@gw/outbound';
import type { SecretResolver } from '@gw/secret-managers';

export interface UpstreamParts {
  readonly outbound: OutboundClient;
  readonly policy: AddressPolicy;
  /** Opens sealed credentials. */
  readonly ring: Keyring;
  readonly secrets: SecretResolver;
}

/** Whose calls share an upstream session: those of one session of a client, or of one caller without sessions. */
export interface UpstreamOwner {
  readonly binding: string;
  readonly session: string | null;
  readonly capabilities: ClientCapabilities;
}

const CLIENT_INFO = { name: 'tollgate', version: GATEWAY_VERSION };

/** The upstream servers of this process, with their sessions. */
export class McpUpstreams {
  private readonly pool = new UpstreamPool();
  private readonly verdicts = new EraVerdicts();
  private readonly contents = new WeakMap<McpServerDocument, McpAuthContent>();

  constructor(private readonly parts: UpstreamParts) {}

  /** The upstream of a server for one owner. Throws `unavailable` when as many are in use as there may be. */
  of(server: McpServerDocument, owner: UpstreamOwner): McpUpstream {
    const capabilities = relayedCapabilities(owner.capabilities, { allowSampling: allowsSampling(server) });
    const key = [
      ...[server.id, server.version, owner.session ?? owner.binding],
      String(capabilityBits(capabilities)),
    ].join('/');
    const upstream = this.pool.get(key, () => this.make(server, capabilities));
    if (upstream === null)
      throw new GatewayError('unavailable', {
        message: 'Too many MCP servers are in use; retry later.',
        headers: { 'retry-after': '1' },
      });
    return upstream;
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  private make(server: McpServerDocument, capabilities: ClientCapabilities): McpUpstream {
    const { outbound: client, policy } = this.parts;
    const { organisationId, integrationId, version } = server;
    return new McpUpstream({
      ...{ client, policy, url: new URL(server.url), capabilities, clientInfo: CLIENT_INFO },
      poolClass: `mcp/${organisationId}/${integrationId}`,
      headers: () => this.headersOf(server),
      protocol: 'auto',
      verdicts: this.verdicts,
      eraKey: `${integrationId}/${version}`,
      ...(server.timeoutMs !== null && { timeouts: { callMs: server.timeoutMs } }),
    });
  }

  private async headersOf(server: McpServerDocument): Promise<Readonly<Record<string, string>>> {
    if (server.authType !== 'headers') return {};
    const { headers = {}, secrets = [] } = this.contentOf(server);
    const referenced = await Promise.all(secrets.map((use) => this.referenced(use, server)));
    return { ...headers, ...Object.fromEntries(referenced) };
  }

  private async referenced(
    { target, location }: SecretUse,
    { organisationId }: McpServerDocument,
  ): Promise<readonly [name: string, value: string]> {
    if (location === null)
      throw new GatewayError('internal_error', {
        message: 'The workspace may not use the secret reference of the MCP server.',
      });
    return [target.replace(/^headers\./, ''), await this.parts.secrets.resolve(location, organisationId)];
  }

  private contentOf(server: McpServerDocument): McpAuthContent {
    const known = this.contents.get(server);
    if (known !== undefined) return known;
    const { sealedAuth, organisationId, integrationId } = server;
    const content =
      sealedAuth === null
        ? {}
        : (JSON.parse(
            unseal(this.parts.ring, sealedAuth, mcpAuthBinding(organisationId, integrationId)).toString(
              'utf8',
            ),
          ) as McpAuthContent);
    this.contents.set(server, content);
    return content;
  }
}

/** Whether the server may ask the caller's model. */
export const allowsSampling = ({ configurations }: McpServerDocument): boolean =>
  configurations['allow_sampling'] === true;
