import { IfMatch } from '@gw/web';
import { Body } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { PropertiesResponse, UpdatePropertiesDto } from './organisation-properties.dto';
import { OrganisationPropertiesService } from './organisation-properties.service';

@ControlRoutes('admin/organisation/properties')
export class OrganisationPropertiesController {
  constructor(private readonly properties: OrganisationPropertiesService) {}

  @Route.get('', 'organisation_settings.read', PropertiesResponse)
  get(@Caller() caller: Principal): Promise<PropertiesResponse> {
    return this.properties.get(caller);
  }

  @Route.put('', 'organisation_settings.update')
  update(
    @Caller() caller: Principal,
    @Body() body: UpdatePropertiesDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.properties.update(caller, body, ifMatch);
  }
}
