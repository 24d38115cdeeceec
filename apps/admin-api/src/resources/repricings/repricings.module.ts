import { Module } from '@nestjs/common';
import { RepricingsController } from './repricings.controller';
import { RepricingsService } from './repricings.service';

@Module({ controllers: [RepricingsController], providers: [RepricingsService] })
export class RepricingsModule {}
