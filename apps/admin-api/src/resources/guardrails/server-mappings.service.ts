import type { GuardrailEntity, GuardrailMapping } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { lockRow } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { findReadable, GUARDRAIL } from '../../platform/rows/guardrail-rows';
import { Writes } from '../../platform/unit-of-work/writes';
import type { MappingKind } from './mapping-kinds';
import type { McpMapResponse, McpMappingsChangeResponse } from './mcp-mappings.dto';
import {
  assertMappable,
  isSameMapping,
  mappingsOf,
  readMappings,
  readOneMapping,
  type Mapping,
} from './server-mappings';

/** Manages the MCP servers and agents whose calls a guardrail checks. */
@Injectable()
export class ServerMappingsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list<M extends GuardrailMapping, V extends object>(
    kind: MappingKind<M, V>,
    at: ResourceReference,
  ): Promise<V[]> {
    const { manager } = this.dataSource;
    const row = await findReadable(manager, at);
    return (await mappingsOf(kind, manager, row.id)).map(kind.view);
  }

  /** Replaces all mappings of the guardrail to servers of the kind. */
  replace<M extends GuardrailMapping>(
    kind: MappingKind<M>,
    caller: Principal,
    reference: string,
    servers: Readonly<Record<string, unknown>>,
  ): Promise<McpMappingsChangeResponse> {
    const wanted = readMappings(kind, servers);
    return this.change(kind, caller, reference, async (manager, row, known) => {
      await assertMappable(kind, manager, row, wanted, (server) => ({
        server: `${kind.member}.${server}`,
        capabilities: `${kind.member}.${server}.${kind.parts[0]}`,
      }));
      const gone = known.filter(({ serverId }) => !wanted.has(serverId));
      if (gone.length > 0) await manager.remove(gone);
      let [added, updated] = [0, 0];
      for (const [server, mapping] of wanted) {
        const before = known.find(({ serverId }) => serverId === server);
        if (before && isSameMapping(before, mapping)) continue;
        await keep(kind, manager, row, server, mapping, before);
        if (before) updated += 1;
        else added += 1;
      }
      const changed = added + updated + gone.length > 0;
      return { changed, added, updated, removed: gone.length };
    });
  }

  put<M extends GuardrailMapping>(
    kind: MappingKind<M>,
    caller: Principal,
    reference: string,
    server: string,
    input: object,
  ): Promise<McpMapResponse> {
    const mapping = readOneMapping(kind, server, input);
    const id = server.toLowerCase();
    return this.change(kind, caller, reference, async (manager, row, known) => {
      const paths = { server: 'mcpServer', capabilities: kind.parts[0] };
      await assertMappable(kind, manager, row, new Map([[id, mapping]]), () => paths);
      const before = known.find(({ serverId }) => serverId === id);
      return { map_id: await keep(kind, manager, row, id, mapping, before) };
    });
  }

  private change<M extends GuardrailMapping, T>(
    kind: MappingKind<M>,
    caller: Principal,
    reference: string,
    work: (manager: EntityManager, row: GuardrailEntity, known: M[]) => Promise<T>,
  ): Promise<T> {
    const name = `${kind.member.slice(0, -1)}_mappings`;
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await lockRow(write, GUARDRAIL, { caller, reference, ifMatch: undefined });
      if (row.target !== 'mcp_tools') {
        throw invalid(kind.member, 'require a guardrail whose target is mcp_tools');
      }
      const known = await mappingsOf(kind, manager, row.id);
      write.changed(await kind.keys(manager, row));
      const before = { [name]: known.map(kind.view) };
      const result = await work(manager, row, known);
      row.updatedBy = actorOf(caller);
      await manager.save(row);
      write.changed(await kind.keys(manager, row));
      write.audit({
        action: 'update',
        resourceType: GUARDRAIL.type,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: { [name]: (await mappingsOf(kind, manager, row.id)).map(kind.view) },
      });
      return result;
    });
  }
}

async function keep(
  { entity }: Pick<MappingKind, 'entity'>,
  manager: EntityManager,
  { id: guardrailId }: GuardrailEntity,
  serverId: string,
  { runOn, capabilityIds }: Mapping,
  before: GuardrailMapping | undefined,
): Promise<string> {
  const id = before?.id ?? uuidv7();
  const row = { id, guardrailId, serverId, runOn: [...runOn], capabilityIds: [...capabilityIds] };
  await manager.upsert(entity, row, ['guardrailId', 'serverId']);
  return id;
}
