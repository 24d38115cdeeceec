import { Module } from '@nestjs/common';
import { PluginsController } from './plugins.controller';
import { PluginsService } from './plugins.service';

@Module({ controllers: [PluginsController], providers: [PluginsService] })
export class PluginsModule {}
