import { documentKey } from '@gw/contracts';
import { OrganisationEntity, type OrganisationDefaults } from '@gw/entities';
import { etagOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { inOrganisation } from '../../platform/auth/tenancy';
import { changeRow, findRow, type Resource } from '../../platform/resource/rows';
import { guardrailIdsOf, guardrailSlugsOf } from '../../platform/rows/guardrail-references';
import { Writes } from '../../platform/unit-of-work/writes';
import type { UpdateDefaultGuardrailsDto } from './guardrails.dto';
import type { DefaultGuardrailResponse, DefaultGuardrailsResponse } from './guardrails.view';

const LISTS = ['input_guardrails', 'output_guardrails'] as const;

/** The caller's organisation, which the path does not name. */
const ORGANISATION: Resource<OrganisationEntity> = {
  entity: OrganisationEntity,
  type: 'organisation',
  view: (row, _caller, manager) => toDefaults(manager, row),
  where: (caller) => ({ id: inOrganisation(caller).organisationId, status: 'active' }),
  changes: ({ id }) => [documentKey.organisation(id)],
};

/** Manages the guardrails of an organisation that apply to the requests of all its workspaces. */
@Injectable()
export class DefaultGuardrailsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async get(caller: Principal): Promise<DefaultGuardrailsResponse> {
    const { manager } = this.dataSource;
    return toDefaults(manager, await findRow(manager, ORGANISATION, { caller, reference: '' }));
  }

  /** Replaces the given lists; an absent list remains unchanged. */
  update(
    caller: Principal,
    input: UpdateDefaultGuardrailsDto,
    ifMatch: string | undefined,
  ): Promise<DefaultGuardrailsResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const at = { caller, reference: '', ifMatch };
      const saved = await changeRow(write, ORGANISATION, at, async (row) => {
        const scope = { organisationId: row.id, workspaceId: null };
        const changed: { -readonly [List in keyof OrganisationDefaults]: readonly string[] } = {};
        for (const list of LISTS) {
          const references = input[list];
          if (references) changed[list] = await guardrailIdsOf(manager, scope, references, list);
        }
        row.defaults = { ...row.defaults, ...changed };
      });
      return toDefaults(manager, saved);
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
