import { INTERNAL } from '@gw/contracts';
import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { ServiceOnly } from '../../platform/auth/access';
import { ControlRoutes } from '../../platform/control-routes';
import { GatewayResponse, GatewayPresenceDto } from './gateways.dto';
import { GatewaysService } from './gateways.service';

@ControlRoutes('admin/gateways')
export class GatewaysController {
  constructor(private readonly gateways: GatewaysService) {}

  @Route.get('', 'deployments.list', listResponseOf(GatewayResponse))
  list(): Promise<ListResponse<GatewayResponse>> {
    return this.gateways.list();
  }
}

@ApiExcludeController()
@Controller()
export class GatewayPresenceController {
  constructor(private readonly gateways: GatewaysService) {}

  @Post(INTERNAL.gateways)
  @ServiceOnly()
  seen(@Body() body: GatewayPresenceDto): Promise<object> {
    return this.gateways.recordPresence(body);
  }
}
