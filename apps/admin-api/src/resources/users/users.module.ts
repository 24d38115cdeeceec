import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { UserChangesService } from './user-changes.service';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

@Module({
  imports: [ApiKeysModule],
  controllers: [UsersController],
  providers: [UsersService, UserChangesService],
})
export class UsersModule {}
