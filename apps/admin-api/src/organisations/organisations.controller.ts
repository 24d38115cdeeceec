import { IfMatch } from '@gw/web';
import { Body, Get, Put } from '@nestjs/common';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../auth/principal';
import { ControlRoutes } from '../control-routes';
import { UpdateOrganisationDto, UpdateOrganisationSettingsDto } from './organisations.dto';
import {
  OrganisationsService,
  type OrganisationAnswer,
  type OrganisationSettingsAnswer,
} from './organisations.service';

@ControlRoutes('admin/organisation')
export class OrganisationsController {
  constructor(private readonly organisations: OrganisationsService) {}

  @Get()
  @Requires('organisation_settings.read')
  get(@Caller() caller: Principal): Promise<OrganisationAnswer> {
    return this.organisations.get(caller);
  }

  @Put()
  @Requires('organisation_settings.update')
  update(
    @Caller() caller: Principal,
    @Body() body: UpdateOrganisationDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.organisations.update(caller, body, ifMatch);
  }

  @Get('settings')
  @Requires('organisation_settings.read')
  settings(@Caller() caller: Principal): Promise<OrganisationSettingsAnswer> {
    return this.organisations.settings(caller);
  }

  @Put('settings')
  @Requires('organisation_settings.update')
  updateSettings(
    @Caller() caller: Principal,
    @Body() body: UpdateOrganisationSettingsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.organisations.updateSettings(caller, body, ifMatch);
  }
}
