import {
  principalBinding,
  readRegistryRequest,
  registryResponse,
  type JsonObject,
  type RegistryEntry,
  type RegistryRequest,
} from '@gw/mcp';
import { Inject, Injectable } from '@nestjs/common';
import { isIP } from 'node:net';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { gatewayUrl, mcpServerUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { Secrets, SETTINGS } from '../../settings';
import { listedServers, type ListedServer } from './registry-entries.queries';

/** Maximum length of a title or description, from the schema of `server.json`. */
const TEXT_MAX = 100;

/** Lists the MCP servers that a caller may use, as a registry of MCP servers (API v0.1). */
@Injectable()
export class McpRegistryService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  /**
   * Returns the response body of a read request. `target` contains path and query. Throws
   * `RegistryFault`.
   */
  async read(caller: Principal, target: string): Promise<JsonObject> {
    const request = inWorkspaceOf(caller, readRegistryRequest('GET', target));
    const namespace = namespaceOf(gatewayUrl(this.settings, '/'));
    const rows = await listedServers(this.dataSource.manager, caller);
    return registryResponse(
      request,
      rows.map((row) => this.entryOf(row, namespace)),
      {
        ring: this.secrets.sealingKeyring,
        principal: bindingOf(caller),
        workspaces: new Set(caller.workspaceId === null ? [] : [caller.workspaceId]),
      },
    );
  }

  /**
   * Returns the registry entry of a server. Its version number increases with every change of the
   * server or its integration, but not with a sync.
   */
  private entryOf(row: ListedServer, namespace: string): RegistryEntry {
    const { slug, name, description, changes, createdAt, updatedAt, workspaceId, workspaceSlug } = row;
    return {
      name: `${namespace}.${workspaceSlug}/${slug}`,
      title: shortened(name),
      description: shortened(description ?? name),
      ...{ snapshot: changes, isLatest: true, workspaceId, workspaceSlug },
      ...{ publishedAt: createdAt.getTime(), updatedAt: updatedAt.getTime() },
      url: mcpServerUrl(this.settings, workspaceSlug, slug),
    };
  }
}

/** Replaces the workspace that a list names with its id, to which the caller is already limited. */
const inWorkspaceOf = ({ workspaceId }: Principal, request: RegistryRequest): RegistryRequest =>
  request.kind === 'list' && request.query.workspace !== null && workspaceId !== null
    ? { ...request, query: { ...request.query, workspace: workspaceId } }
    : request;

const bindingOf = ({ apiKeyId, userId, organisationId }: Principal): string =>
  apiKeyId === null
    ? principalBinding({ kind: 'user', userId: userId ?? '', clientId: organisationId })
    : principalBinding({ kind: 'key', keyId: apiKeyId });

/**
 * Returns the gateway's host in reverse order, such as `com.example.gateway`; `localhost` for an IP
 * address.
 */
function namespaceOf(url: string): string {
  const { hostname } = new URL(url);
  if (hostname.startsWith('[') || isIP(hostname) !== 0) return 'localhost';
  return hostname.split('.').reverse().join('.');
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= TEXT_MAX ? text : `${characters.slice(0, TEXT_MAX - 1).join('')}…`;
}
