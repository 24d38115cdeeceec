import { Module } from '@nestjs/common';
import { WorkspaceExclusionsController } from './workspace-exclusions.controller';
import { WorkspaceExclusionsService } from './workspace-exclusions.service';

@Module({ controllers: [WorkspaceExclusionsController], providers: [WorkspaceExclusionsService] })
export class WorkspaceExclusionsModule {}
