import { Body } from '@nestjs/common';
import { Caller, type Principal } from '../../../platform/common/principal';
import { ControlRoutes } from '../../../platform/control-routes';
import { Route } from '../../../platform/resource/route';
import { IntegrationTestResponse, TestIntegrationDto } from './integration-tests.dto';
import { IntegrationTestsService } from './integration-tests.service';

@ControlRoutes('integrations/test')
export class IntegrationTestsController {
  constructor(private readonly tests: IntegrationTestsService) {}

  /** Tests an integration before it is saved, with at most one small paid call. */
  @Route.post(
    '',
    [
      'organisation_integrations.create',
      'workspace_integrations.create',
      'organisation_integrations.update',
      'workspace_integrations.update',
    ],
    IntegrationTestResponse,
  )
  run(@Caller() caller: Principal, @Body() body: TestIntegrationDto): Promise<IntegrationTestResponse> {
    return this.tests.test(caller, body);
  }
}
