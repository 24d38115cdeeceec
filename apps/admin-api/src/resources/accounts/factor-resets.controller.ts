import { Param } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { Route } from '../../platform/resource/route';
import { FactorResetsService } from './factor-resets.service';

@ControlRoutes('admin/users/:userId/mfa-reset', 'users/:userId/mfa-reset')
export class FactorResetsController {
  constructor(private readonly resets: FactorResetsService) {}

  @Route.post('', 'organisation_users.update')
  create(@Caller() caller: Principal, @Param('userId') userId: string): Promise<object> {
    return this.resets.reset(caller, userId);
  }
}
