import { IfMatch } from '@gw/web';
import { Body } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  OrganisationResponse,
  OrganisationSettingsResponse,
  UpdateOrganisationDto,
  UpdateOrganisationSettingsDto,
} from './organisations.dto';
import { OrganisationsService } from './organisations.service';

@ControlRoutes('admin/organisation')
export class OrganisationsController {
  constructor(private readonly organisations: OrganisationsService) {}

  @Route.get('', 'organisation_settings.read', OrganisationResponse)
  get(@Caller() caller: Principal): Promise<OrganisationResponse> {
    return this.organisations.get(caller);
  }

  @Route.put('', 'organisation_settings.update')
  update(
    @Caller() caller: Principal,
    @Body() body: UpdateOrganisationDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.organisations.update(caller, body, ifMatch);
  }

  @Route.get('settings', 'organisation_settings.read', OrganisationSettingsResponse)
  settings(@Caller() caller: Principal): Promise<OrganisationSettingsResponse> {
    return this.organisations.settings(caller);
  }

  @Route.put('settings', 'organisation_settings.update')
  updateSettings(
    @Caller() caller: Principal,
    @Body() body: UpdateOrganisationSettingsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.organisations.updateSettings(caller, body, ifMatch);
  }
}
