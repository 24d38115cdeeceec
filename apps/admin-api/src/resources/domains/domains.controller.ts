import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { DomainFields, DomainResponse, ListDomainsQuery, UpdateDomainDto } from './domains.dto';
import { DomainsService } from './domains.service';

@ControlRoutes('admin/organisation/domains')
export class DomainsController {
  constructor(private readonly domains: DomainsService) {}

  /** Adds a domain. It has no effect until it is verified. */
  @Route.post('', 'organisation_settings.update', DomainResponse)
  create(@Caller() caller: Principal, @Body() body: DomainFields): Promise<DomainResponse> {
    return this.domains.create(caller, body);
  }

  @Route.get('', 'organisation_settings.read', listResponseOf(DomainResponse))
  list(@Caller() caller: Principal, @Query() query: ListDomainsQuery): Promise<ListResponse<DomainResponse>> {
    return this.domains.list(caller, query);
  }

  @Route.get(':domainId', 'organisation_settings.read', DomainResponse)
  get(@ResourceParam('domainId') at: ResourceReference): Promise<DomainResponse> {
    return this.domains.get(at);
  }

  @Route.put(':domainId', 'organisation_settings.update')
  update(@ResourceParam('domainId') at: ResourceReference, @Body() body: UpdateDomainDto): Promise<object> {
    return this.domains.update(at, body);
  }

  /**
   * Verifies a domain by its TXT record. A domain that another organisation has verified cannot be
   * verified.
   */
  @Route.post(':domainId/verify', 'organisation_settings.update', DomainResponse)
  verify(@ResourceParam('domainId') at: ResourceReference): Promise<DomainResponse> {
    return this.domains.verify(at);
  }

  /** Deletes a domain. Users keep their memberships; no new users are provisioned by the domain. */
  @Route.delete(':domainId', 'organisation_settings.update')
  remove(@ResourceParam('domainId') at: ResourceReference): Promise<object> {
    return this.domains.remove(at);
  }
}
