import { GatewayError, type AddressPolicy } from '@gw/kernel';
import { filledHeaders, filledUrl, readServerJson, type ImportedRemote, type ImportedServer } from '@gw/mcp';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../../platform/common/principal';
import { ADDRESS_POLICY } from '../../../platform/credentials/integration-credentials';
import { Writes } from '../../../platform/unit-of-work/writes';
import type { CreateMcpIntegrationDto } from '../mcp-integrations.dto';
import { assertMayCreate, McpIntegrationsService } from '../mcp-integrations.service';
import type { ImportMcpServerDto } from './mcp-import.dto';
import { PACKAGES_REFUSED, toImported, type ImportedMcpServerResponse } from './mcp-import.view';
import { RegistryClient } from './registry-client';

/** Whether a text is a single line with a letter or digit, as names of integrations must be. */
const isName = (text: string): boolean => !/[\p{Cc}\u2028\u2029]/u.test(text) && /[\p{L}\p{N}]/u.test(text);

/** Creates MCP integrations from published server descriptions. */
@Injectable()
export class McpImportService {
  constructor(
    private readonly writes: Writes,
    private readonly integrations: McpIntegrationsService,
    private readonly registry: RegistryClient,
    @Inject(ADDRESS_POLICY) private readonly policy: AddressPolicy,
  ) {}

  /**
   * Shows what a server offers and which values it requires; with `commit`, creates an integration
   * for one of its remotes. Throws `validation_failed`, `custom_host_refused`, and
   * `mcp_transport_unsupported` for a server that is only a local program.
   */
  async run(caller: Principal, input: ImportMcpServerDto): Promise<ImportedMcpServerResponse> {
    assertMayCreate(caller, input.organisation_id);
    const read = readServerJson(await this.documentOf(caller, input), this.policy);
    if (!read.ok) throw invalid(input.server_json ? 'server_json' : 'registry_url', read.reason);
    const { server } = read;
    if (input.commit !== true) return toImported(server, null);
    const values = this.integrationOf(server, input);
    return this.writes.run(caller, async (write) =>
      toImported(server, await this.integrations.insert(write, values, 'server')),
    );
  }

  private async documentOf({ organisationId }: Principal, input: ImportMcpServerDto): Promise<unknown> {
    const { server_json: document, registry_url: registryUrl, name, version = 'latest' } = input;
    if (document !== undefined && (registryUrl !== undefined || name !== undefined))
      throw invalid('server_json', 'cannot be sent together with registry_url and name');
    if (document !== undefined) return document;
    if (registryUrl === undefined)
      throw invalid('server_json', 'is required; send it, or registry_url and name');
    if (name === undefined) throw invalid('name', 'is required with registry_url');
    return this.registry.read(organisationId, { registryUrl, name, version });
  }

  private integrationOf(server: ImportedServer, input: ImportMcpServerDto): CreateMcpIntegrationDto {
    const { variables = {}, headers: given = {}, slug, approval_mode: mode } = input;
    const remote = remoteOf(server, input.remote ?? 0);
    const url = filledUrl(remote, variables, this.policy);
    if (!url.ok) throw invalid('variables', url.reason);
    const filled = filledHeaders(remote, given);
    if (!filled.ok) throw invalid('headers', filled.reason);
    const hasHeaders = Object.keys(filled.headers).length > 0;
    return {
      name: isName(server.title) ? server.title.trim() : server.name,
      description: server.description,
      ...{ url: url.url.href, transport: remote.transport },
      auth_type: input.auth_type ?? (hasHeaders ? 'headers' : 'none'),
      ...(hasHeaders && { configurations: { headers: filled.headers } }),
      ...(slug !== undefined && { slug }),
      ...(mode !== undefined && { approval_mode: mode }),
    };
  }
}

function remoteOf({ remotes }: ImportedServer, index: number): ImportedRemote {
  if (remotes.length === 0)
    throw new GatewayError('mcp_transport_unsupported', { message: PACKAGES_REFUSED });
  const remote = remotes[index];
  if (remote !== undefined) return remote;
  throw invalid('remote', `must be less than ${String(remotes.length)}, the number of remotes`);
}
