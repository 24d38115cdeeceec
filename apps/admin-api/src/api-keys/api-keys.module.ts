import { Module } from '@nestjs/common';
import { ApiKeySecretsService } from './api-key-secrets.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeysService, ApiKeySecretsService],
  exports: [ApiKeysService],
})
export class ApiKeysModule {}
