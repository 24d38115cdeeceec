import { Module } from '@nestjs/common';
import { LogsModule } from '../logs/logs.module';
import { ConfigLookupController, ConfigsController } from './configs.controller';
import { ConfigsService } from './configs.service';
import { SimulationService } from './simulation.service';

@Module({
  imports: [LogsModule],
  controllers: [ConfigsController, ConfigLookupController],
  providers: [ConfigsService, SimulationService],
})
export class ConfigsModule {}
