import { EmptyAnswer, IfMatch } from '@gw/web';
import { Body, Get, Put } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  OrganisationAnswer,
  OrganisationSettingsAnswer,
  UpdateOrganisationDto,
  UpdateOrganisationSettingsDto,
} from './organisations.dto';
import { OrganisationsService } from './organisations.service';

@ControlRoutes('admin/organisation')
export class OrganisationsController {
  constructor(private readonly organisations: OrganisationsService) {}

  @Get()
  @Requires('organisation_settings.read')
  @ApiOkResponse({ type: OrganisationAnswer })
  get(@Caller() caller: Principal): Promise<OrganisationAnswer> {
    return this.organisations.get(caller);
  }

  @Put()
  @Requires('organisation_settings.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Body() body: UpdateOrganisationDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.organisations.update(caller, body, ifMatch);
  }

  @Get('settings')
  @Requires('organisation_settings.read')
  @ApiOkResponse({ type: OrganisationSettingsAnswer })
  settings(@Caller() caller: Principal): Promise<OrganisationSettingsAnswer> {
    return this.organisations.settings(caller);
  }

  @Put('settings')
  @Requires('organisation_settings.update')
  @ApiOkResponse({ type: EmptyAnswer })
  updateSettings(
    @Caller() caller: Principal,
    @Body() body: UpdateOrganisationSettingsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.organisations.updateSettings(caller, body, ifMatch);
  }
}
