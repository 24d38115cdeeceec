import { Module } from '@nestjs/common';
import { AlertWebhooksController } from './alert-webhooks.controller';
import { AlertWebhooksService } from './alert-webhooks.service';

@Module({ controllers: [AlertWebhooksController], providers: [AlertWebhooksService] })
export class AlertWebhooksModule {}
