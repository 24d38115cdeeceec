import { listResponseOf, type ListResponse } from '@gw/web';
import { Param } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { Route } from '../../platform/resource/route';
import { SsoLinkResponse } from './sso-links.dto';
import { SsoLinksService } from './sso-links.service';

@ControlRoutes('admin/users/:userId/sso-links', 'users/:userId/sso-links')
export class SsoLinksController {
  constructor(private readonly links: SsoLinksService) {}

  @Route.get('', 'organisation_users.read', listResponseOf(SsoLinkResponse))
  list(@Caller() caller: Principal, @Param('userId') userId: string): Promise<ListResponse<SsoLinkResponse>> {
    return this.links.list(caller, userId);
  }

  /** Unlinks the subjects of a connection from a user, and ends the user's sessions. */
  @Route.delete(':connectionId', 'organisation_users.update')
  remove(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @Param('connectionId') connectionId: string,
  ): Promise<object> {
    return this.links.remove(caller, userId, connectionId);
  }
}
