import { documentKey } from '@gw/contracts';
import { OrganisationEntity, type OrganisationDefaults } from '@gw/entities';
import { assertMatches, etagOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found, inOrganisation } from '../../platform/auth/tenancy';
import { guardrailIdsOf, guardrailSlugsOf } from '../../platform/rows/guardrail-references';
import type { UpdateDefaultGuardrailsDto } from './guardrails.dto';
import type { DefaultGuardrailResponse, DefaultGuardrailsResponse } from './guardrails.view';

const LISTS = ['input_guardrails', 'output_guardrails'] as const;

/** The guardrails of an organisation that judge the requests of all its workspaces. */
@Injectable()
export class DefaultGuardrailsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async get(caller: Principal): Promise<DefaultGuardrailsResponse> {
    const { organisationId } = inOrganisation(caller);
    const { manager } = this.dataSource;
    const where = { id: organisationId, status: 'active' } as const;
    return toDefaults(manager, found(await manager.findOneBy(OrganisationEntity, where)));
  }

  /** What is not given stays. */
  update(
    caller: Principal,
    input: UpdateDefaultGuardrailsDto,
    ifMatch: string | undefined,
  ): Promise<DefaultGuardrailsResponse> {
    const { organisationId } = inOrganisation(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const where = { id: organisationId, status: 'active' } as const;
      const row = found(await manager.findOne(OrganisationEntity, { where, lock: FOR_UPDATE }));
      assertMatches(ifMatch, row);
      const before = await toDefaults(manager, row);
      const scope = { organisationId, workspaceId: null };
      const changed: { -readonly [List in keyof OrganisationDefaults]: readonly string[] } = {};
      for (const list of LISTS) {
        const references = input[list];
        if (references) changed[list] = await guardrailIdsOf(manager, scope, references, list);
      }
      row.defaults = { ...row.defaults, ...changed };
      const after = await toDefaults(manager, await manager.save(OrganisationEntity, row));
      write.audit({ action: 'update', resourceType: 'organisation', resourceId: row.id, before, after });
      write.changed(documentKey.organisation(row.id));
      return after;
    });
  }
}

async function toDefaults(
  manager: EntityManager,
  row: OrganisationEntity,
): Promise<DefaultGuardrailsResponse> {
  const lists = LISTS.map((list) => row.defaults[list] ?? []);
  const slugs = await guardrailSlugsOf(manager, lists.flat());
  const [input = [], output = []] = lists.map((ids) =>
    ids.flatMap((id): DefaultGuardrailResponse[] => {
      const slug = slugs.get(id);
      return slug === undefined ? [] : [{ id, slug }];
    }),
  );
  return { input_guardrails: input, output_guardrails: output, etag: etagOf(row) };
}
