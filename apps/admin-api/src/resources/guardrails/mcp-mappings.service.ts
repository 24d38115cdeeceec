import { GuardrailMcpServerEntity, type GuardrailEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import type { At } from '../../platform/resource/at';
import { lockRow } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { findReadable, GUARDRAIL } from '../../platform/rows/guardrail-rows';
import { keysOfGuardedServers } from '../../platform/rows/mcp-rows';
import { Writes } from '../../platform/unit-of-work/writes';
import {
  assertMappable,
  isSameMapping,
  mappingsOf,
  readMappings,
  readOneMapping,
  toMapping,
  type Mapping,
} from './mcp-mappings';
import type {
  McpMapResponse,
  McpMappingResponse,
  McpMappingDto,
  McpMappingsChangeResponse,
  McpMappingsDto,
} from './mcp-mappings.dto';

/** The MCP servers whose tool calls a guardrail checks. */
@Injectable()
export class McpMappingsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: At): Promise<McpMappingResponse[]> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, at);
    return (await mappingsOf(manager, row.id)).map(toMapping);
  }

  /** Replaces all mappings of the guardrail. */
  replace(caller: Principal, reference: string, input: McpMappingsDto): Promise<McpMappingsChangeResponse> {
    const wanted = readMappings(input.mcp_servers);
    return this.change(caller, reference, async (manager, row, known) => {
      await assertMappable(manager, row, wanted, (server) => ({
        server: `mcp_servers.${server}`,
        capabilities: `mcp_servers.${server}.capability_ids`,
      }));
      const gone = known.filter(({ mcpServerId }) => !wanted.has(mcpServerId));
      if (gone.length > 0) await manager.remove(gone);
      let [added, updated] = [0, 0];
      for (const [server, mapping] of wanted) {
        const before = known.find(({ mcpServerId }) => mcpServerId === server);
        if (before && isSameMapping(before, mapping)) continue;
        await keep(manager, row, server, mapping, before);
        if (before) updated += 1;
        else added += 1;
      }
      const changed = added + updated + gone.length > 0;
      return { changed, added, updated, removed: gone.length };
    });
  }

  put(caller: Principal, reference: string, server: string, input: McpMappingDto): Promise<McpMapResponse> {
    const mapping = readOneMapping(server, input);
    const id = server.toLowerCase();
    return this.change(caller, reference, async (manager, row, known) => {
      const paths = { server: 'mcpServer', capabilities: 'capability_ids' };
      await assertMappable(manager, row, new Map([[id, mapping]]), () => paths);
      const before = known.find(({ mcpServerId }) => mcpServerId === id);
      return { map_id: await keep(manager, row, id, mapping, before) };
    });
  }

  private change<T>(
    caller: Principal,
    reference: string,
    work: (manager: EntityManager, row: GuardrailEntity, known: GuardrailMcpServerEntity[]) => Promise<T>,
  ): Promise<T> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await lockRow(write, GUARDRAIL, { caller, reference, ifMatch: undefined });
      if (row.target !== 'mcp_tools') {
        throw invalid('mcp_servers', 'require a guardrail whose target is mcp_tools');
      }
      const known = await mappingsOf(manager, row.id);
      write.changed(...(await keysOfGuardedServers(manager, row)));
      const before = { mcp_server_mappings: known.map(toMapping) };
      const result = await work(manager, row, known);
      row.updatedBy = actorOf(caller);
      await manager.save(row);
      write.changed(...(await keysOfGuardedServers(manager, row)));
      write.audit({
        action: 'update',
        resourceType: GUARDRAIL.type,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: { mcp_server_mappings: (await mappingsOf(manager, row.id)).map(toMapping) },
      });
      return result;
    });
  }
}

async function keep(
  manager: EntityManager,
  { id: guardrailId }: GuardrailEntity,
  mcpServerId: string,
  { runOn, capabilityIds }: Mapping,
  before: GuardrailMcpServerEntity | undefined,
): Promise<string> {
  const id = before?.id ?? uuidv7();
  const row = { id, guardrailId, mcpServerId, runOn: [...runOn], capabilityIds: [...capabilityIds] };
  await manager.upsert(GuardrailMcpServerEntity, row, ['guardrailId', 'mcpServerId']);
  return id;
}
