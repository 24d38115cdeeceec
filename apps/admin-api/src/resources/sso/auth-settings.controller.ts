import { IfMatch } from '@gw/web';
import { Body } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { Route } from '../../platform/resource/route';
import { LoginSettingsResponse, UpdateLoginSettingsDto } from './auth-settings.dto';
import { AuthSettingsService } from './auth-settings.service';

/**
 * Routes for the single sign-on of an organisation with one identity provider; they name no
 * connection.
 */
@ControlRoutes('admin/organisation/auth-settings')
export class AuthSettingsController {
  constructor(private readonly settings: AuthSettingsService) {}

  @Route.get('', 'organisation_settings.read', LoginSettingsResponse)
  get(@Caller() caller: Principal): Promise<LoginSettingsResponse> {
    return this.settings.get(caller);
  }

  @Route.put('', 'organisation_settings.update')
  update(
    @Caller() caller: Principal,
    @Body() body: UpdateLoginSettingsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.settings.update(caller, body, ifMatch);
  }
}
