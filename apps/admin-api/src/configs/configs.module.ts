import { Module } from '@nestjs/common';
import { ConfigLookupController, ConfigsController } from './configs.controller';
import { ConfigsService } from './configs.service';

@Module({
  controllers: [ConfigsController, ConfigLookupController],
  providers: [ConfigsService],
})
export class ConfigsModule {}
