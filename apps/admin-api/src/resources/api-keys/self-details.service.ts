import { OrganisationEntity, WorkspaceEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { found } from '../../platform/auth/tenancy';
import { ApiKeysService } from './api-keys.service';
import type { SelfDetailsResponse, SelfDetailsQuery } from './self-details.dto';

@Injectable()
export class SelfDetailsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly apiKeys: ApiKeysService,
  ) {}

  async describe(caller: Principal, query: SelfDetailsQuery): Promise<SelfDetailsResponse> {
    const { manager } = this.dataSource;
    const key = await this.apiKeys.own(caller);
    const organisation = query.include_organisation
      ? found(await manager.findOneBy(OrganisationEntity, { id: key.organisation_id }))
      : null;
    const workspace =
      query.include_workspace && key.workspace_id !== null
        ? found(await manager.findOneBy(WorkspaceEntity, { id: key.workspace_id }))
        : null;
    return {
      data: {
        api_key_details: key,
        ...(organisation && {
          organisation_details: {
            organisation_id: organisation.id,
            name: organisation.name,
            status: organisation.status,
          },
        }),
        ...(workspace && {
          workspace_details: {
            id: workspace.id,
            slug: workspace.slug,
            name: workspace.name,
            status: workspace.status,
          },
        }),
      },
      object: 'api-key-details',
    };
  }
}
