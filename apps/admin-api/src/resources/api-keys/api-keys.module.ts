import { Module } from '@nestjs/common';
import { ApiKeyPages } from './api-key-pages';
import { ApiKeySecretsService } from '../../platform/keys/api-key-secrets.service';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { SelfDetailsService } from './self-details.service';
import { UserKeysService } from '../../platform/keys/user-keys.service';

@Module({
  controllers: [ApiKeysController],
  providers: [ApiKeysService, ApiKeyPages, ApiKeySecretsService, SelfDetailsService, UserKeysService],
  exports: [UserKeysService],
})
export class ApiKeysModule {}
