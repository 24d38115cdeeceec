import { Module } from '@nestjs/common';
import { GatewayPresenceController, GatewaysController } from './gateways.controller';
import { GatewaysService } from './gateways.service';

@Module({
  controllers: [GatewaysController, GatewayPresenceController],
  providers: [GatewaysService],
})
export class GatewaysModule {}
