import { EmptyAnswer, IfMatch } from '@gw/web';
import { Body, Get, Put } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { PropertiesAnswer, UpdatePropertiesDto } from './organisation-properties.dto';
import { OrganisationPropertiesService } from './organisation-properties.service';

@ControlRoutes('admin/organisation/properties')
export class OrganisationPropertiesController {
  constructor(private readonly properties: OrganisationPropertiesService) {}

  @Get()
  @Requires('organisation_settings.read')
  @ApiOkResponse({ type: PropertiesAnswer })
  get(@Caller() caller: Principal): Promise<PropertiesAnswer> {
    return this.properties.get(caller);
  }

  @Put()
  @Requires('organisation_settings.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Body() body: UpdatePropertiesDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.properties.update(caller, body, ifMatch);
  }
}
